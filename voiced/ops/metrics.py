"""Every metric of the daemon, in one registry. Labels never say who or what was said.

Names and units are those of docs/glossary.md. Counters may be raised on any thread.
"""

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)

from voiced.ops.card_metrics import CardMetrics

REGISTRY = CollectorRegistry()
ProcessCollector("voiced", registry=REGISTRY)  # memory, processor time, files, since when
REGISTRY.register(CardMetrics())

_LEG_MS = (
    5,
    10,
    20,
    50,
    100,
    150,
    200,
    300,
    400,
    500,
    650,
    800,
    1000,
    1500,
    2000,
    3000,
    5000,
    10000,
)

CALLS = Gauge("voiced_calls", "Calls that are open", registry=REGISTRY)
CALLS_OPENED = Counter("voiced_calls_opened", "Calls that were opened", registry=REGISTRY)
CALLS_CLOSED = Counter(
    "voiced_calls_closed", "Calls by why they ended", ["reason"], registry=REGISTRY
)
OFFERS_REFUSED = Counter(
    "voiced_offers_refused", "Offers by why refused", ["kind"], registry=REGISTRY
)
SLOTS = Gauge("voiced_slots", "How many calls may be open at once", registry=REGISTRY)
SLOTS_TAKEN = Gauge(
    "voiced_slots_taken", "Slots of the language model that calls hold", registry=REGISTRY
)
TOOLS = Counter(
    "voiced_tools", "Calls of tools by what came of them", ["result"], registry=REGISTRY
)
TURNS = Counter("voiced_turns", "Turns by how they ended", ["ending"], registry=REGISTRY)
LEG_MS = Histogram(
    "voiced_leg_ms", "One leg of a turn", ["leg"], buckets=_LEG_MS, registry=REGISTRY
)
REPLY_DELAY_MS = Histogram(
    "voiced_reply_delay_ms",
    "Last voiced sample captured to first agent frame sent",
    buckets=_LEG_MS,
    registry=REGISTRY,
)
VOICE_TO_VOICE_MS = Histogram(
    "voiced_voice_to_voice_ms",
    "What the caller waited: the reply's delay, and the network's legs where RTCP tells them",
    buckets=_LEG_MS,
    registry=REGISTRY,
)
LEFT_OUT = Gauge(
    "voiced_measures_left_out",
    "How many measures are left out because turns are late: partials, speculation, long first "
    "clauses, new calls",
    registry=REGISTRY,
)
SPECULATION = Counter(
    "voiced_speculative_answers",
    "Answers begun in a pause: heard, or made in vain",
    ["result"],
    registry=REGISTRY,
)
REJECTED = Counter(
    "voiced_transcripts_rejected",
    "Transcripts that the gate refused",
    ["reason"],
    registry=REGISTRY,
)
BARGE_INS = Counter(
    "voiced_barge_ins",
    "Speech over the agent: it went on, was cut by the words, or by their length",
    ["kind"],
    registry=REGISTRY,
)
ENDPOINTS = Counter(
    "voiced_endpoints",
    "Endpoints by what the language model thought of the pause",
    ["kind"],
    registry=REGISTRY,
)
ENDPOINT_SCORE = Histogram(
    "voiced_endpoint_score",
    "How likely the language model held it that a pause ended the turn, by what came of the pause",
    ["outcome"],
    buckets=(0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1.0),
    registry=REGISTRY,
)
HANDOFFS = Counter(
    "voiced_handoffs",
    "Targets of a hand-off that were tried, and whether they acknowledged",
    ["kind", "result"],
    registry=REGISTRY,
)
ENGINE_FAILED = Counter(
    "voiced_engine_failures", "Failures of an engine", ["stage"], registry=REGISTRY
)
CAPACITY = Gauge(
    "voiced_calls_within_budget",
    "Calls that stay within the latency budget, as tried at start; absent where that is a setting",
    registry=REGISTRY,
)
CARD_LOST = Gauge(
    "voiced_card_lost", "1 once the card is lost, until the process has ended", registry=REGISTRY
)
PLANNED_MB = Gauge(
    "voiced_memory_planned_megabytes",
    "Memory that the models were planned to take",
    ["kind"],
    registry=REGISTRY,
)
UNEXPECTED_FACTS = Counter(
    "voiced_turn_unexpected",
    "Facts without a row in the turn table",
    ["floor", "fact"],
    registry=REGISTRY,
)
UNDERRUNS = Counter(
    "voiced_playout_underruns", "Frames of silence sent inside a reply", registry=REGISTRY
)
OVERRUNS = Counter(
    "voiced_ring_overrun_samples",
    "Samples lost because a reader was late",
    ["ring"],
    registry=REGISTRY,
)
UNLOCKED_RINGS = Counter(
    "voiced_rings_unlocked", "Rings that could not be locked in memory", registry=REGISTRY
)
LATENESS_MS = Histogram(
    "voiced_rtc_lateness_ms",
    "How late a 20 ms tick ran",
    buckets=(0.25, 0.5, 1, 2, 3, 5, 7, 10, 15, 20, 50, 100, 250, 1000),
    registry=REGISTRY,
)
RTP_PACKETS = Counter(
    "voiced_rtc_packets",
    "Packets of sound of the callers': received, and lost on the way",
    ["result"],
    registry=REGISTRY,
)
JITTER_MS = Histogram(
    "voiced_rtc_jitter_ms",
    "Interarrival jitter of a caller's packets, once a second for each call",
    buckets=(1, 2, 5, 10, 20, 30, 50, 80, 120, 200, 500),
    registry=REGISTRY,
)
RTT_MS = Histogram(
    "voiced_rtc_rtt_ms",
    "Round trip to a caller, once a second for each call, where RTCP tells it",
    buckets=(1, 2, 5, 10, 20, 50, 100, 150, 200, 300, 500, 1000),
    registry=REGISTRY,
)
MESSAGES_DROPPED = Counter(
    "voiced_messages_dropped", "Data channel messages not sent", ["reason"], registry=REGISTRY
)
LANE_DROPPED = Counter(
    "voiced_lane_dropped",
    "Messages to a call or a reply that did not fit: a caller's program floods, or a loop hangs",
    registry=REGISTRY,
)
CERTIFICATE_DAYS = Gauge(
    "voiced_certificate_days_left",
    "Until the certificate that HTTPS shows ends; absent without one",
    ["kind"],
    registry=REGISTRY,
)
DATAGRAMS_DROPPED = Counter(
    "voiced_datagrams_dropped", "Datagrams of no call of ours", ["reason"], registry=REGISTRY
)
VOICE_BREAKS = Counter(
    "voiced_voice_breaks", "Clauses in which a voice failed, by why", ["reason"], registry=REGISTRY
)
VOICE_RELAYED = Counter(
    "voiced_voice_relayed", "Clauses that the second voice spoke instead", registry=REGISTRY
)
SONIC_DROPPED = Counter(
    "voiced_sonic_messages_dropped",
    "Messages for a take that is over, or that made no sense",
    ["reason"],
    registry=REGISTRY,
)
SONIC_CHARACTERS = Counter(
    "voiced_sonic_characters",
    "Characters sent to Sonic, heard or not",
    registry=REGISTRY,
)
SONIC_READY = Gauge(
    "voiced_sonic_ready", "1 while Sonic can speak, as it says itself", registry=REGISTRY
)
SYMBOLS_SKIPPED = Counter(
    "voiced_tts_symbols_skipped", "Phonemes that a voice has never heard", registry=REGISTRY
)
LLM_TOKENS = Counter(
    "voiced_llm_tokens",
    "Tokens of prompts that were evaluated, and of replies that were drawn",
    ["kind"],
    registry=REGISTRY,
)
INK_FAILURES = Counter(
    "voiced_ink_failures",
    "Turns, and looks at one that goes on, that Ink did not read: the local recogniser did",
    ["reason"],
    registry=REGISTRY,
)
LLM_RETRIES = Counter(
    "voiced_llm_retries",
    "Replies of which nothing came, and that were tried again",
    registry=REGISTRY,
)
WITHHELD = Counter(
    "voiced_replies_withheld",
    "Replies that were to state what stands in no source, by kind; the line not_known was said",
    ["kind"],
    registry=REGISTRY,
)
LLM_STEP_MS = Histogram(
    "voiced_llm_step_ms",
    "One step of the language model, for all calls",
    buckets=(2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000),
    registry=REGISTRY,
)
AUDIT_RECORDS = Counter(
    "voiced_audit_records", "Records of the audit that are on the disk", registry=REGISTRY
)
AUDIT_LOST = Counter(
    "voiced_audit_lost", "Records of the audit that could not be written", registry=REGISTRY
)
AUDIT_STUCK = Gauge(
    "voiced_audit_stuck", "1 while the audit cannot be written: page somebody", registry=REGISTRY
)
VAULT_CALLS = Counter(
    "voiced_vault_calls",
    "Calls of agents that keep calls, by what became of that",
    ["result"],
    registry=REGISTRY,
)
VAULT_ALARM = Gauge(
    "voiced_vault_alarm", "1 while calls are not kept: a full or broken disk", registry=REGISTRY
)


def exposition() -> bytes:
    """The registry in Prometheus' text format."""
    return generate_latest(REGISTRY)
