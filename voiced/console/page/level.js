// How loud the microphone is, in dB of full scale. It records nothing.

const QUIETEST_DB = -60;
const SPOKEN_EVERY_MS = 500;

/** Draws the level of a stream until it ends. */
export function watch(stream, meter) {
  const context = new AudioContext();
  const analyser = new AnalyserNode(context, { fftSize: 1024 });
  context.createMediaStreamSource(stream).connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  const bar = meter.querySelector(".bar");
  let told = 0;
  const draw = (now) => {
    const ended = stream.getTracks().every((track) => track.readyState === "ended");
    analyser.getFloatTimeDomainData(samples);
    const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
    const db = ended ? QUIETEST_DB : Math.max(10 * Math.log10(power + 1e-9), QUIETEST_DB);
    bar.style.width = `${100 * (1 - db / QUIETEST_DB)}%`;
    if (now - told > SPOKEN_EVERY_MS || ended) {
      meter.setAttribute("aria-valuenow", Math.round(db));
      meter.setAttribute("aria-valuetext", `${Math.round(db)} dB`);
      told = now;
    }
    if (ended) context.close();
    else requestAnimationFrame(draw);
  };
  requestAnimationFrame(draw);
}
