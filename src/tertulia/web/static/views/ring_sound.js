/** The sound of a call that rings, made of two tones; no file is loaded. */

const TONES = [659, 523]; // Hz
const TONE_SECONDS = 0.35;
const REPEAT_MS = 2500;
const VOLUME = 0.15;

/** Ring in one window of this browser, if the browser lets it: only after the person has used the page.
 * @returns {() => void} stops it */
export function startRingSound() {
  /** @type {() => void} */
  let stop = () => {};
  const stopped = new Promise((resolve) => (stop = () => resolve(undefined)));
  const context = new AudioContext();
  const ring = async () => {
    playTones(context);
    const timer = setInterval(() => playTones(context), REPEAT_MS);
    await stopped;
    clearInterval(timer);
  };
  const start = () => navigator.locks.request("tertulia-ring", { ifAvailable: true }, (lock) => lock && ring());
  context.resume().then(start, () => {});
  stopped.then(() => context.close());
  return stop;
}

/** Play a sound, to test the loudspeakers.
 * @param {string} [speaker] its id */
export async function playTestSound(speaker) {
  const context = new AudioContext();
  const { setSinkId } = /** @type {{setSinkId?(id: string): Promise<void>}} */ (/** @type {unknown} */ (context));
  if (speaker) await setSinkId?.call(context, speaker).catch(() => {}); // it was unplugged
  playTones(context);
  setTimeout(() => context.close(), REPEAT_MS);
}

/** @param {AudioContext} context */
function playTones(context) {
  for (const [at, frequency] of TONES.entries()) {
    const start = context.currentTime + at * TONE_SECONDS;
    const gain = context.createGain();
    gain.gain.setValueAtTime(VOLUME, start);
    gain.gain.exponentialRampToValueAtTime(0.001, start + TONE_SECONDS);
    const tone = context.createOscillator();
    tone.frequency.value = frequency;
    tone.connect(gain).connect(context.destination);
    tone.start(start);
    tone.stop(start + TONE_SECONDS);
  }
}
