"""The daemon's settings: the tables of voiced.toml, frozen.

It does not know where the file lies or how it is read (`reader`), nor what an agent is (`agent`).
Instants are seconds, lengths of time in milliseconds where people tune them by ear.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from voiced.config.ink import Ink
from voiced.config.remote import Remote
from voiced.config.sonic import Sonic

Port = Annotated[int, Field(ge=0, le=65535)]
Positive = Annotated[int, Field(ge=1)]
Milliseconds = Annotated[int, Field(ge=0, le=60_000)]
Device = Literal["cpu", "cuda"]
Probability = Annotated[float, Field(ge=0.0, le=1.0)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Http:
    """[http]: where offers arrive."""

    host: str = "127.0.0.1"
    """Address to listen on. Anything but loopback needs `keys_file` or `token_file`."""
    port: Port = 8080
    """TCP port; 0 takes any free one, and the log says which."""
    certificate_file: Path | None = None
    """PEM certificate, and those between it and the root: HTTPS is spoken, and nothing else."""
    private_key_file: Path | None = None
    """Its PEM key, without a passphrase."""
    keys_file: Path | None = None
    """Hashes of the keys that callers must show one of, as `voiced token` writes them; neither this
    nor `token_file`: loopback only."""
    token_file: Path | None = None
    """File whose first line is one more such key, as it is: for a unit's credential."""
    pass_key_file: Path | None = None
    """File whose bytes sign client tokens, 32 or more; none: a key is made at each start."""
    origins: tuple[str, ...] = ()
    """Origins whose pages may call from a browser, as `https://ward.example`; the daemon's own
    page always may."""
    address_per_minute: Annotated[int, Field(ge=0, le=1_000_000)] = 600
    """Requests from one address, of IPv6 from one /64. 0: any number, where a proxy stands in
    front, and all of them come from its address."""
    key_per_minute: Annotated[int, Field(ge=0, le=1_000_000)] = 1200
    """Requests with one key or client token. 0: any number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rtc:
    """[rtc]: where media arrives."""

    host: str = "127.0.0.1"
    """Address of the UDP socket that carries every call."""
    host_v6: str | None = None
    """IPv6 address of a second socket beside it, on the same port; none: `host` alone is bound."""
    port: Port = 50000
    """Its port; 0 takes any free one."""
    port_range: tuple[Port, Port] | None = None
    """First and last port of a range, in the place of `port`: each call has a port of its own. For
    networks that do not let many callers talk to one port."""
    public_host: str | None = None
    """Address that callers are told, where a 1:1 NAT stands in front; none: `host`."""
    public_host_v6: str | None = None
    """The same for `host_v6`."""
    half_open_per_address: Positive = 8
    """Calls from one address, of IPv6 from one /64, that were answered and have not connected."""
    connect_deadline_ms: Milliseconds = 10_000
    """A caller that has not connected by then is closed."""
    silent_deadline_ms: Milliseconds = 15_000
    """A connected caller from whom no packet at all came for this long is closed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """[models]: where the weights lie, and which ones are used."""

    dir: Path = Path("/var/lib/voiced/models")
    """Filled by `voiced models pull`."""
    profile: str = "demo-cpu"
    """The catalogue's set of models that the roles below are taken from."""
    catalog: Path | None = None
    """A catalogue of the site's own, laid over the one that came with the program."""
    production: bool = True
    """Refuse models whose licence does not allow production use."""
    public_key_file: Path | None = None
    """Ed25519, PEM: `catalog` must be signed with it; the signature lies beside it, as `.sig`."""
    pins_file: Path = Path("/etc/voiced/pins.toml")
    """Hashes of files that the catalogue has none of, as `voiced models pin` writes them. Where
    `public_key_file` is named it must be signed as the catalogue is."""
    require_signature: bool = False
    """Load only models of a signed `catalog`: the one that came with the program is left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vad:
    """[vad]: when sound counts as speech."""

    threshold: Probability = 0.5
    """A window at or above this probability is speech; silence begins 0.15 below it."""
    min_speech_ms: Milliseconds = 64
    """Speech shorter than this is not believed: clicks and coughs."""
    min_silence_ms: Milliseconds = 96
    """Silence shorter than this does not end speech: stops inside words."""
    preroll_ms: Milliseconds = 500
    """Audio before the first voiced window that the recogniser gets too: without it first words are
    lost, and with little of it short answers are misread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stt:
    """[stt]: the recogniser."""

    threads: Positive = 2
    device: Device = "cpu"
    """Where it runs. On `cuda` without a card the daemon does not start."""
    deadline_ms: Milliseconds = 15_000
    """An utterance that is not read by then has failed."""
    waiting: Positive = 16
    """Utterances that may wait; one more is refused, and its turn falls back."""
    partial_ms: Annotated[int, Field(ge=0, le=10_000)] = 700
    """While the caller speaks, what there is so far is read so often at most. 0: never."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Llm:
    """[llm]: the language model."""

    threads: Positive = 2
    device: Device = "cpu"
    """Where all of its layers and its cache lie. On `cuda` without a card the daemon does not
    start."""
    slots: Positive = 4
    """Calls that it holds at once."""
    context_tokens: Annotated[int, Field(ge=512)] = 4096
    """Tokens of one call's conversation, system prompt and reply included."""
    first_token_deadline_ms: Milliseconds = 8_000
    """No first token by then: the turn has failed."""
    remote: Remote = field(default_factory=Remote)
    """A server of the site's that has the model, in the place of this machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tts:
    """[tts]: the voices."""

    threads: Positive = 1
    deadline_ms: Milliseconds = 10_000
    """No first sound of a clause by then: the voice has failed."""
    device: Device = "cpu"
    """Where flow and decoder run. On `cuda` without a card the daemon does not start."""
    lexicon_dir: Path = Path("/etc/voiced/lexicon.d")
    """How the site's own words are said: `*.toml`, a table of words for each language."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnPace:
    """[turn]: how patient the agent is. An agent's own table overrides the site's."""

    endpoint_delay_ms: Milliseconds = 300
    """Silence that ends the caller's turn when it is sure that the caller is done."""
    endpoint_ceiling_ms: Milliseconds = 1_600
    """Silence that ends it in any case; more for callers who need time."""
    patient_ms: Milliseconds = 2_500
    """The same for the answer to a question for a number, an address or a spelling: who dictates
    pauses."""
    hold_ms: Milliseconds = 250
    """Speech over the agent that silences it until it is clear what the caller wants."""
    barge_in_ms: Milliseconds = 1_000
    """Speech over the agent that takes the floor from it, whatever is said."""
    answer_deadline_ms: Milliseconds = 20_000
    """No sound of the reply this long after the turn's end: the fallback line is spoken."""
    filler_ms: Milliseconds = 1_000
    """Nothing audible this long after the turn's end: the line `filler` is said, or a soft sound is
    made where the agent has none. 0: never."""
    quiet_ms: Milliseconds = 15_000
    """Silence after which the line `still_there` is said, twice at most; then the call ends. 0:
    never; nor where the agent has no such line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """[budget]: what each leg of a turn may take, in ms. An agent's own table overrides it."""

    network_in: Milliseconds = 30
    endpoint_delay: Milliseconds = 300
    stt: Milliseconds = 80
    llm_first_clause: Milliseconds = 300
    tts_ttfb: Milliseconds = 100
    playout: Milliseconds = 20
    network_out: Milliseconds = 30
    voice_to_voice: Milliseconds = 800
    """What the caller may wait in all; less than the sum, since legs overlap."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """[calls]: how many, how long, and how they end."""

    agents_dir: Path = Path("/etc/voiced/agents.d")
    """One TOML file for each agent."""
    default_agent: str = ""
    """Agent of a caller that names none; empty: the only one there is."""
    max: Positive | None = None
    """Calls at once; one more is answered 503. None: as many as stay within [budget], which is
    tried at start. Never above the language model's slots."""
    max_call_ms: Annotated[int, Field(ge=0, le=86_400_000)] = 3_600_000
    """A call that is longer gets the goodbye line and ends. 0: never."""
    resume_ms: Annotated[int, Field(ge=0, le=600_000)] = 60_000
    """A caller whose line is lost is waited for so long; his conversation goes on over
    another one. 0: never."""
    drain_ms: Annotated[int, Field(ge=0, le=3_600_000)] = 30_000
    """On SIGTERM, calls may go on for this long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """[fleet]: other nodes of the site, which take callers when this one is full."""

    sisters: tuple[str, ...] = ()
    """Their addresses, as `https://voice2.hospital.example`. Callers are sent there (307)."""
    key_file: Path | None = None
    """File whose first line is a key of theirs with the right to watch: they are asked for room."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Console:
    """[console]: the page that is called from."""

    phone: Annotated[str, Field(max_length=40)] = ""
    """Whom callers are to ring when this machine cannot be reached; browsers keep it, so that the
    page shows it then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """[control]: where operators ask the running daemon."""

    socket: Path | None = None
    """UNIX socket; none: control.sock in the unit's runtime directory, and outside a unit none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """[audit]: who did what, and when. Kept only where there is a key to seal it with."""

    dir: Path = Path("/var/lib/voiced/audit")
    key_file: Path | None = None
    """File whose bytes seal the records, 32 or more; none: the unit's credential `audit-key`, or
    /etc/voiced/secrets/audit-key where that is there."""
    old_key_files: tuple[Path, ...] = ()
    """Keys that sealed before; with them the records of their time are still checked."""
    retention_days: Annotated[int, Field(ge=1, le=36_500)] = 731
    """Two years, as Korea asks for sensitive data; six, 2192, are usual under HIPAA."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vault:
    """[vault]: where calls are kept, for agents whose files ask for it."""

    dir: Path = Path("/var/lib/voiced")
    """Of the index `voiced.db`, the calls and their wrapped keys. A local disk."""
    key_file: Path | None = None
    """File with the site key, 32 random bytes in base64; older keys on the lines below it. None:
    the unit's credential `vault-key`, or /etc/voiced/secrets/vault-key where that is there."""
    spare_mb: Annotated[int, Field(ge=0)] = 256
    """While less is free on that disk, calls go on and are not kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Traces:
    """[traces]: a trace of each turn, without a word of it, for the site's own collector."""

    url: Annotated[str, Field(pattern=r"^(https?://[^/?#\s@]+/[^?#\s@]*)?$")] = ""
    """http://HOST:4318/v1/traces, where an OpenTelemetry collector takes OTLP over HTTP; empty:
    off. Needs voiced[otel]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The whole of voiced.toml."""

    http: Http = field(default_factory=Http)
    rtc: Rtc = field(default_factory=Rtc)
    models: Models = field(default_factory=Models)
    vad: Vad = field(default_factory=Vad)
    stt: Stt = field(default_factory=Stt)
    llm: Llm = field(default_factory=Llm)
    tts: Tts = field(default_factory=Tts)
    sonic: Sonic = field(default_factory=Sonic)
    ink: Ink = field(default_factory=Ink)
    turn: TurnPace = field(default_factory=TurnPace)
    budget: Budget = field(default_factory=Budget)
    calls: Calls = field(default_factory=Calls)
    fleet: Fleet = field(default_factory=Fleet)
    console: Console = field(default_factory=Console)
    control: Control = field(default_factory=Control)
    audit: Audit = field(default_factory=Audit)
    vault: Vault = field(default_factory=Vault)
    traces: Traces = field(default_factory=Traces)

    @property
    def on_card(self) -> tuple[str, ...]:
        """The stages that run on the card; none of them: no card is needed."""
        devices = (("stt", self.stt.device), ("llm", self.llm.device), ("tts", self.tts.device))
        elsewhere = {"llm"} if self.llm.remote.url else set()
        return tuple(n for n, device in devices if device == "cuda" and n not in elsewhere)
