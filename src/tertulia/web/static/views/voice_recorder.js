/** The recorder of voice messages, in the place of the compose box's text: a tap records until it is stopped or sent, and
 * holding the microphone on a touch screen records until it is let go. */

import { h, icon, setChildren } from "../core/html.js";
import { t } from "../core/i18n.js";
import { lazy } from "../core/lazy.js";
import { recordingName } from "../sync/recording_upload.js";
import { isTooLarge, maxUploadMegabytes } from "../sync/upload.js";
import { currentComposeBox } from "./compose.js";
import { announce, toast } from "./layout.js";
import { clockTime } from "./time.js";
import { drawVoice, emptyWave, wavePath } from "./voice_player.js";

/** @typedef {import("./compose.js").ComposeBox} ComposeBox */
/** @typedef {import("./lazy_slots.js").Recording} Recording */

// The first one that the browser can record: all current browsers play each of them.
const TYPES = ["audio/mp4;codecs=mp4a.40.2", "audio/webm;codecs=opus", "audio/ogg;codecs=opus", "audio/mp4"];
const BITS_PER_SECOND = 32_000;
const MAX_SECONDS = 300;
const WARNED_SECONDS = 20; // before the end
const MIN_SECONDS = 0.5;
const ASKS_FROM_SECONDS = 3; // before it throws a recording away
const SAMPLE_MS = 50;
const DRAW_EVERY = 5; // samples
const LIVE_BARS = 90;
const BARS = 64;
const LOUD = 0.3; // the level of a full bar
const HOLD_MS = 400;
const CANCEL_PIXELS = 80; // how far a finger slides towards the start to cancel

/** The recorder of each compose box that has one. @type {WeakMap<ComposeBox, VoiceRecorder>} */
const recorders = new WeakMap();
let heldAt = 0; // when a finger was put on the microphone

/** Record a voice message; send it, if it is being recorded. */
export function record() {
  const compose = currentComposeBox();
  if (!compose) return undefined;
  if (heldAt) return void (heldAt = 0); // a tap: the finger's press has started it
  const open = recorders.get(compose);
  return open ? open.send() : start(compose);
}

/** A finger is on the microphone: record until it is let go. A short tap leaves the recorder running.
 * @param {PointerEvent} event */
export async function holdToRecord(event) {
  const compose = currentComposeBox();
  if (!compose || recorders.has(compose)) return;
  heldAt = Date.now();
  const from = event.clientX;
  const isRightToLeft = document.documentElement.dir === "rtl";
  const recorder = await start(compose);
  const held = Date.now() - heldAt;
  if (!recorder || !heldAt) return;
  const end = (/** @type {PointerEvent} */ up) => {
    if (held + (Date.now() - heldAt) < HOLD_MS || up.type !== "pointerup") return;
    heldAt = 0;
    const slid = (up.clientX - from) * (isRightToLeft ? 1 : -1);
    if (slid > CANCEL_PIXELS) recorder.close();
    else recorder.send();
  };
  recorder.scope.listen(document, "pointerup", end, { once: true });
}

/** @param {ComposeBox} compose
 * @returns {Promise<VoiceRecorder | undefined>} undefined if there is no microphone */
async function start(compose) {
  compose.frame.querySelector(".note.refused")?.remove();
  try {
    if (!navigator.mediaDevices) throw new DOMException("", "NotFoundError");
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    const recorder = new VoiceRecorder(compose, stream);
    recorders.set(compose, recorder);
    return recorder;
  } catch (error) {
    heldAt = 0;
    showRefusal(compose, /** @type {Error} */ (error).name === "NotFoundError");
    return undefined;
  }
}

/** @param {ComposeBox} compose
 * @param {boolean} isMissing whether there is no microphone, or the browser has refused it */
function showRefusal(compose, isMissing) {
  const [text, button, action] = isMissing
    ? [t("voice.none"), t("compose.attach"), "attach"]
    : [t("voice.refused"), t("talk.try-again"), "record"];
  const note = h(
    "div",
    { class: "note refused", role: "alert" },
    icon("mic-off"),
    h("span", {}, text),
    h("button", { class: "b", type: "button", "data-do": action }, button),
  );
  compose.frame.prepend(note);
  compose.box.addEventListener("input", () => note.remove(), { once: true });
}

class VoiceRecorder {
  #compose;
  #stream;
  #media;
  #context = new AudioContext();
  /** @type {Blob[]} */
  #parts = [];
  /** The level of each 50 ms. @type {number[]} */
  #levels = [];
  #startedAt = performance.now();
  #time = h("b", { class: "num", role: "timer" });
  #left = h("span", { class: "left not-phone" });
  #wave = emptyWave(LIVE_BARS, ["pl"]);
  /** @type {Recording | undefined} */
  #recording;
  #panel = h("div", { class: "rec" });
  #tools = h("div", { class: "tools rec-tools" });

  /** @param {ComposeBox} compose
   * @param {MediaStream} stream */
  constructor(compose, stream) {
    this.#compose = compose;
    this.#stream = stream;
    this.scope = compose.scope.child();
    this.scope.add(() => this.#end());
    const mimeType = TYPES.find((type) => MediaRecorder.isTypeSupported(type));
    this.#media = new MediaRecorder(stream, { mimeType, audioBitsPerSecond: BITS_PER_SECOND });
    this.#media.ondataavailable = ({ data }) => this.#parts.push(data);
    this.#media.start(1000);
    this.#listen();
    compose.frame.classList.add("has-recording");
    compose.frame.append(this.#panel, this.#tools);
    this.#panel.addEventListener("keydown", (event) => this.#onKey(event));
    this.#tools.addEventListener("keydown", (event) => this.#onKey(event));
    this.#drawRecording();
    announce(t("voice.recording"));
  }

  get #seconds() {
    return (performance.now() - this.#startedAt) / 1000;
  }

  /** Measure the level, and show it. */
  #listen() {
    const analyser = this.#context.createAnalyser();
    this.#context.createMediaStreamSource(this.#stream).connect(analyser);
    const samples = new Float32Array(analyser.fftSize);
    const timer = setInterval(() => {
      analyser.getFloatTimeDomainData(samples);
      const power = samples.reduce((sum, each) => sum + each * each, 0) / samples.length;
      this.#levels.push(Math.sqrt(power));
      if (this.#levels.length % DRAW_EVERY) return;
      if (this.#seconds >= MAX_SECONDS) this.stop();
      else this.#drawTime();
    }, SAMPLE_MS);
    this.scope.add(() => clearInterval(timer));
  }

  #drawTime() {
    const left = Math.ceil(MAX_SECONDS - this.#seconds);
    const isSoon = left <= WARNED_SECONDS;
    this.#time.textContent = clockTime(this.#seconds);
    this.#left.textContent = isSoon
      ? t("voice.left", { count: left })
      : t("voice.most", { length: clockTime(MAX_SECONDS) });
    this.#left.classList.toggle("soon", isSoon);
    const shown = digits(this.#levels.slice(-LIVE_BARS)).padStart(LIVE_BARS, "0");
    this.#wave.paths[0].setAttribute("d", wavePath(shown, 0, LIVE_BARS));
  }

  #drawRecording() {
    this.#panel.setAttribute("role", "group");
    this.#panel.setAttribute("aria-label", t("voice.recording"));
    setChildren(
      this.#panel,
      h("span", { class: "dot", "aria-hidden": "true" }),
      this.#time,
      this.#wave.wave,
      this.#left,
    );
    this.#drawTools(
      [button("close", t("dialog.cancel"), () => this.cancel())],
      h("kbd", { class: "not-phone" }, "Esc"),
      h("button", { class: "b", type: "button", onclick: () => this.stop() }, icon("stop", "s"), t("voice.stop")),
    );
    this.#drawTime();
  }

  /** @param {import("../core/html.js").Child[]} first
   * @param {...import("../core/html.js").Child} last */
  #drawTools(first, ...last) {
    const send = h("button", { class: "b go", type: "button", onclick: () => this.send() }, t("compose.send"));
    setChildren(this.#tools, ...first, h("span", { class: "end" }, ...last, send));
    send.focus({ preventScroll: true });
  }

  /** Stop recording, to listen before sending. */
  async stop() {
    const recording = await this.#finish();
    if (!recording) return this.close();
    this.#panel.removeAttribute("role");
    this.#panel.removeAttribute("aria-label");
    this.#panel.classList.add("done");
    setChildren(this.#panel, drawVoice(recording));
    this.#drawTools([
      button("trash", t("voice.delete"), () => this.cancel()),
      button("mic", t("voice.again"), () => this.#again()),
    ]);
    announce(t("voice.stopped", { count: Math.round(recording.seconds) }));
    return undefined;
  }

  async #again() {
    this.close();
    await start(this.#compose);
  }

  /** Send the recording, and below it the text that the box has. */
  async send() {
    const recording = await this.#finish();
    if (!recording) return this.close();
    const file = new File([recording.blob], "");
    if (isTooLarge(file)) return toast(t("upload.large", { most: maxUploadMegabytes() }));
    if (await this.#compose.send(this.#compose.box.value, recording)) this.close();
    return undefined;
  }

  /** Throw the recording away; ask before, unless it is short. */
  async cancel() {
    const seconds = this.#recording?.seconds ?? this.#seconds;
    if (seconds >= ASKS_FROM_SECONDS) {
      const confirmAction = await lazy("dialogs", "confirmAction");
      const text = t("voice.throw-text", { length: clockTime(seconds) });
      if (!(await confirmAction(t("voice.throw"), text, t("voice.throw-button")))) return;
    }
    this.close();
  }

  /** Leave the recorder: the box shows its text again. */
  close() {
    recorders.delete(this.#compose);
    this.scope.close();
    this.#panel.remove();
    this.#tools.remove();
    this.#compose.frame.classList.remove("has-recording");
    this.#compose.box.focus();
  }

  /** @returns {Promise<Recording | undefined>} undefined if nothing was recorded */
  async #finish() {
    if (this.#recording) return this.#recording;
    const seconds = Math.round(10 * Math.min(this.#seconds, MAX_SECONDS)) / 10;
    if (this.#media.state !== "inactive") {
      const stopped = new Promise((resolve) => (this.#media.onstop = resolve));
      this.#media.stop();
      await stopped;
    }
    this.#end();
    if (seconds < MIN_SECONDS) return undefined;
    const [type] = this.#media.mimeType.split(";");
    const blob = new Blob(this.#parts, { type });
    const name = recordingName(clockTime(seconds));
    return (this.#recording = { blob, seconds, levels: digits(bars(this.#levels)), name });
  }

  /** Let the microphone go. */
  #end() {
    for (const track of this.#stream.getTracks()) track.stop();
    if (this.#context.state !== "closed") this.#context.close();
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    this.cancel();
  }
}

/** @param {string} name of the icon
 * @param {string} text
 * @param {() => unknown} act */
function button(name, text, act) {
  return h("button", { class: "b bare", type: "button", onclick: act }, icon(name, "s"), text);
}

/** The mean level of each bar.
 * @param {number[]} levels */
function bars(levels) {
  const count = Math.min(BARS, Math.max(1, levels.length));
  return Array.from({ length: count }, (_, at) => {
    const part = levels.slice((at * levels.length) / count, Math.max(1, ((at + 1) * levels.length) / count));
    return part.reduce((sum, each) => sum + each, 0) / Math.max(1, part.length);
  });
}

/** @param {number[]} levels */
function digits(levels) {
  return levels.map((each) => Math.min(35, Math.round((35 * each) / LOUD)).toString(36)).join("");
}
