// The ledger of one turn as a table with bars: each leg begins where the caller stopped waiting for
// the one before. What was done in the shadow of another leg is drawn behind it, pale.

import { say } from "./words.js";

const LEGS = ["network_in", "endpoint_delay", "stt", "llm_first_clause", "tts_ttfb", "playout", "network_out"];

/** A figure for a `voiced.turn` event. */
export function waterfall(event) {
  const legs = LEGS.filter((name) => name in event.legs).map((name) => ({ name, ...event.legs[name], budget: event.budget[name] }));
  const total = legs.reduce((sum, leg) => sum + leg.waited_ms, 0);
  const budget = event.budget.voice_to_voice;
  const scale = Math.max(total, budget) * 1.02;
  const table = element("table", { className: total > budget ? "late" : "" });
  table.append(caption(event.turn, total, budget), head());
  const body = table.createTBody();
  let at = 0;
  for (const leg of legs) {
    body.append(row(leg, at, scale, budget));
    at += leg.waited_ms;
  }
  const foot = table.createTFoot();
  foot.append(row({ name: "total", waited_ms: total, spent_ms: total, budget }, 0, scale, budget));
  return table;
}

function caption(turn, total, budget) {
  const line = element("caption");
  line.append(words("turn"), ` ${turn}: ${ms(total)} / ${ms(budget)}`);
  if (total > budget) line.append(" · ", words("over"));
  return line;
}

function head() {
  const head = element("thead");
  const line = element("tr");
  for (const name of ["leg", "", "time", "budget"]) {
    const cell = element(name ? "th" : "td", name ? { scope: "col" } : {});
    if (name) cell.append(words(name));
    line.append(cell);
  }
  head.append(line);
  return head;
}

function row({ name, waited_ms, spent_ms, budget }, at, scale, whole) {
  const line = element("tr", { className: waited_ms > budget ? "over" : "" });
  line.dataset.leg = name;
  const title = element("th", { scope: "row" });
  title.append(words(name));
  const track = element("td", { className: "track" });
  track.setAttribute("aria-hidden", "true");
  const end = at + waited_ms;
  track.append(
    bar("spent", Math.max(end - spent_ms, 0), end, scale),
    bar("waited", at, end, scale),
    bar("mark", whole, whole, scale),
  );
  const time = element("td", { textContent: ms(waited_ms) });
  if (waited_ms > budget) {
    const note = words("over");
    note.className = "hidden";
    time.append(" ", note);
  }
  line.append(title, track, time, element("td", { textContent: ms(budget) }));
  return line;
}

function bar(kind, from, to, scale) {
  const one = element("i", { className: kind });
  one.style.left = `${(100 * from) / scale}%`;
  one.style.width = `${(100 * (to - from)) / scale}%`;
  return one;
}

function words(name) {
  const one = element("span", { textContent: say(name) });
  one.dataset.words = name;
  return one;
}

function element(name, properties = {}) {
  return Object.assign(document.createElement(name), properties);
}

function ms(value) {
  return `${Math.round(value)} ms`;
}
