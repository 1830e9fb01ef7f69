"""pipecat as its documentation builds it, everything on this machine.

    PEER_SITE=SITE.json python agent.py --host 127.0.0.1 --port 7860 -t webrtc

SmallWebRTC, Silero, Smart Turn, Whisper, an OpenAI client of llama-server, Piper: all settings are
pipecat's own. One thing is better than its examples: the weights are loaded once, and not again by
each call on the loop that carries the others' sound. It does not know who calls.
"""

import functools
import json
import os
from pathlib import Path
from typing import Any

SITE: dict[str, Any] = json.loads(Path(os.environ["PEER_SITE"]).read_text(encoding="utf-8"))
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["OMP_NUM_THREADS"] = str(SITE["threads"])

import numpy as np  # noqa: E402 - the libraries read the environment as they are imported
from pipecat.audio.vad.silero import SileroVADAnalyzer  # noqa: E402
from pipecat.pipeline.pipeline import Pipeline  # noqa: E402
from pipecat.pipeline.worker import PipelineParams, PipelineWorker  # noqa: E402
from pipecat.processors.aggregators.llm_context import LLMContext  # noqa: E402
from pipecat.processors.aggregators.llm_response_universal import (  # noqa: E402
    LLMContextAggregatorPair,
    LLMUserAggregatorParams,
)
from pipecat.runner.run import main  # noqa: E402
from pipecat.runner.utils import create_transport  # noqa: E402
from pipecat.services.openai.llm import OpenAILLMService  # noqa: E402
from pipecat.services.piper import tts as piper  # noqa: E402
from pipecat.services.whisper import stt as whisper  # noqa: E402
from pipecat.transcriptions.language import Language  # noqa: E402
from pipecat.transports.base_transport import TransportParams  # noqa: E402
from pipecat.workers.runner import WorkerRunner  # noqa: E402

whisper.WhisperModel = functools.lru_cache(None)(whisper.WhisperModel)
piper.PiperVoice.load = functools.lru_cache(None)(piper.PiperVoice.load)


class LocalLLM(OpenAILLMService):
    """llama-server knows no role `developer`."""

    supports_developer_role = False


def services() -> tuple[Any, Any, Any]:
    """Recogniser, language model, voice."""
    stt = whisper.WhisperSTTService(
        device="cpu",
        compute_type="int8",
        settings=whisper.WhisperSTTService.Settings(model=SITE["stt"], language=Language.EN),
    )
    llm = LocalLLM(
        api_key="none",
        base_url=f"http://127.0.0.1:{SITE['llm_port']}/v1",
        settings=LocalLLM.Settings(
            model="local",
            system_instruction=SITE["prompt"],
            temperature=0.0,
            max_tokens=SITE["max_tokens"],
            extra={"stop": SITE["stop"]},
        ),
    )
    tts = piper.PiperTTSService(
        download_dir=Path(SITE["voices"]),
        settings=piper.PiperTTSService.Settings(voice=SITE["voice"]),
    )
    return stt, llm, tts


async def bot(runner_args: Any) -> None:
    """One call; the runner calls it by this name."""
    transport = await create_transport(
        runner_args,
        {"webrtc": lambda: TransportParams(audio_in_enabled=True, audio_out_enabled=True)},
    )
    stt, llm, tts = services()
    context = LLMContext([{"role": "assistant", "content": SITE["greeting"]}])
    both = LLMContextAggregatorPair(
        context, user_params=LLMUserAggregatorParams(vad_analyzer=SileroVADAnalyzer())
    )
    parts = [transport.input(), stt, both.user(), llm, tts, transport.output(), both.assistant()]
    worker = PipelineWorker(Pipeline(parts), params=PipelineParams())
    runner = WorkerRunner(handle_sigint=runner_args.handle_sigint)
    await runner.add_workers(worker)

    @transport.event_handler("on_client_disconnected")
    async def _left(_transport: Any, _client: Any) -> None:
        await runner.cancel()

    await runner.run()


def warm() -> None:
    """Loads and runs once what the first call would otherwise pay for."""
    stt, _, tts = services()
    list(stt._model.transcribe(np.zeros(16000, np.float32), language="en")[0])
    list(tts._voice.synthesize("Hello."))


if __name__ == "__main__":
    warm()
    main()
