// Every text of the page, in English and Korean. It does not know where they stand.

const WORDS = {
  en: {
    skip: "Skip to the captions",
    language: "Language",
    call: "Call",
    dial: "Call",
    hangUp: "Hang up",
    reconnect: "Call again",
    mute: "Mute",
    unmute: "Unmute",
    microphone: "Your microphone",
    access: "Access token",
    token: "Token of this site, where one is needed",
    captions: "Captions",
    none: "What is said appears here as it is said.",
    write: "Write instead of speaking",
    send: "Send",
    busy: "It will be answered when the agent is done.",
    turns: "Where the time went",
    turnsHint: "After each turn: what the caller waited for, leg by leg, against the budget.",
    idle: "Not in a call",
    asking: "Waiting for the microphone",
    connecting: "Connecting",
    connected: "In a call",
    stalled: "The line is poor",
    slower: "In a call, by the slower way: this network lets no UDP through",
    lost: "The line was lost",
    ended: "The call has ended",
    refused: "The call was refused",
    denied: "The microphone cannot be used. Allow it for this page and call again.",
    insecure: "Browsers give the microphone to secure pages only: open this page over https or on localhost.",
    unreachable: "The server does not answer",
    quiet: "Nobody is speaking",
    caller: "You are speaking",
    agent: "The agent is speaking",
    you: "You",
    them: "Agent",
    cut: "not heard",
    turn: "Turn",
    leg: "Leg",
    time: "Waited",
    budget: "Budget",
    over: "over budget",
    total: "In all",
    network_in: "Network in",
    endpoint_delay: "End of turn",
    stt: "Recogniser",
    llm_first_clause: "First clause",
    tts_ttfb: "First sound",
    playout: "Playout",
    network_out: "Network out",
  },
  ko: {
    skip: "자막으로 건너뛰기",
    language: "언어",
    call: "통화",
    dial: "전화 걸기",
    hangUp: "끊기",
    reconnect: "다시 걸기",
    mute: "음소거",
    unmute: "음소거 해제",
    microphone: "내 마이크",
    access: "접속 토큰",
    token: "필요한 경우 이 기관의 토큰",
    captions: "자막",
    none: "말하는 내용이 여기에 나타납니다.",
    write: "말 대신 글로 쓰기",
    send: "보내기",
    busy: "상담원이 말을 마치면 답합니다.",
    turns: "걸린 시간",
    turnsHint: "차례가 끝날 때마다 발신자가 기다린 시간을 단계별로 목표와 비교합니다.",
    idle: "통화 중이 아닙니다",
    asking: "마이크를 기다리는 중",
    connecting: "연결하는 중",
    connected: "통화 중",
    stalled: "연결 상태가 좋지 않습니다",
    slower: "통화 중 (느린 경로: 이 네트워크는 UDP를 막습니다)",
    lost: "연결이 끊겼습니다",
    ended: "통화가 끝났습니다",
    refused: "통화가 거절되었습니다",
    denied: "마이크를 사용할 수 없습니다. 이 페이지에 허용한 뒤 다시 거세요.",
    insecure: "마이크는 보안 페이지에서만 쓸 수 있습니다. https 또는 localhost로 여세요.",
    unreachable: "서버가 응답하지 않습니다",
    quiet: "아무도 말하고 있지 않습니다",
    caller: "말씀하고 계십니다",
    agent: "상담원이 말하고 있습니다",
    you: "나",
    them: "상담원",
    cut: "들리지 않음",
    turn: "차례",
    leg: "단계",
    time: "기다린 시간",
    budget: "목표",
    over: "목표 초과",
    total: "합계",
    network_in: "네트워크 수신",
    endpoint_delay: "말 끝 판단",
    stt: "음성 인식",
    llm_first_clause: "첫 구절",
    tts_ttfb: "첫 소리",
    playout: "재생",
    network_out: "네트워크 송신",
  },
};

let language = "en";

export const languages = Object.keys(WORDS);

/** The text of a name, in the language of the page. */
export function say(name) {
  return WORDS[language][name] ?? name;
}

/** Writes every text of the page anew; texts that are made later ask `say`. */
export function speak(chosen) {
  language = chosen;
  document.documentElement.lang = chosen;
  for (const element of document.querySelectorAll("[data-words]")) {
    element.textContent = say(element.dataset.words);
  }
}
