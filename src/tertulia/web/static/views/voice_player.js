/** The player of voice messages: waveform, position, length and speed.
 *
 * Length and waveform are in the fragment of the link, `#voice=34.2-0a3f…`: drawing a message loads nothing, and browsers
 * do not know the length of what a browser has recorded. */

import { accountValue, setAccountValue } from "../core/account_values.js";
import { h, icon, setChildren } from "../core/html.js";
import { t } from "../core/i18n.js";
import { clockTime } from "./time.js";

/** @typedef {import("./lazy_slots.js").Recording} Recording */

const FRAGMENT = /^#voice=(\d{1,4}(?:\.\d)?)-([0-9a-z]{1,100})$/;
const SVG = "http://www.w3.org/2000/svg";
const SPEEDS = [1, 1.5, 2];
const STEP_SECONDS = 5;
const MAX_PLAYED = 500; // recordings that this browser remembers as played
const BAR = 3; // the width of a bar with its gap
const HALF = 12; // of the height

/** What is playing or paused. @type {{player: VoicePlayer, audio: HTMLAudioElement} | undefined} */
let current;

/** @param {HTMLAnchorElement | Recording} source
 * @returns {HTMLElement | null} null if a link is not to a recording */
export function drawVoice(source) {
  if (!(source instanceof HTMLAnchorElement)) {
    const { blob, seconds, levels } = source;
    return new VoicePlayer("", blob, seconds, levels).element;
  }
  const { hash, pathname } = new URL(source.getAttribute("href") ?? "", location.href);
  const found = FRAGMENT.exec(hash);
  return found && new VoicePlayer(pathname, null, Number(found[1]), found[2]).element;
}

/** The path of an SVG with the bars from one to another.
 * @param {string} levels
 * @param {number} from
 * @param {number} to */
export function wavePath(levels, from, to) {
  let path = "";
  for (let at = from; at < to; at++) {
    const high = Math.max(1, Math.round((parseInt(levels[at], 36) / 35) * (HALF - 1)));
    path += `M${BAR * at + 1} ${HALF - high}v${2 * high}`;
  }
  return path;
}

/** An empty waveform of so many bars.
 * @param {number} bars
 * @param {string[]} classes of its paths */
export function emptyWave(bars, classes) {
  const wave = document.createElementNS(SVG, "svg");
  const attributes = { class: "wave", viewBox: `0 0 ${BAR * bars} ${2 * HALF}`, preserveAspectRatio: "none" };
  for (const [name, value] of Object.entries({ ...attributes, "aria-hidden": "true" })) wave.setAttribute(name, value);
  const paths = classes.map((name) => {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("class", name);
    return path;
  });
  wave.append(...paths);
  return { wave, paths };
}

/** The recording was played, or is one's own.
 * @param {string} path */
export function markPlayed(path) {
  const played = playedPaths();
  if (path && !played.includes(path)) setAccountValue("voice-played", [...played, path].slice(-MAX_PLAYED));
}

/** @returns {string[]} */
function playedPaths() {
  return /** @type {string[] | undefined} */ (accountValue("voice-played")) ?? [];
}

class VoicePlayer {
  #blob;
  #levels;
  #address = "";
  #at = 0;
  #button = h("button", { class: "pp", type: "button" });
  #length = h("span", { class: "dur num" });
  #speed = h("button", { class: "speed", type: "button" });
  #wave;

  /** @param {string} path of the file; empty for a recording of this page
   * @param {Blob | null} blob
   * @param {number} seconds
   * @param {string} levels */
  constructor(path, blob, seconds, levels) {
    this.path = path;
    this.seconds = seconds;
    this.#blob = blob;
    this.#levels = levels;
    this.#wave = emptyWave(levels.length, ["", "pl"]);
    this.position = h("input", { type: "range", min: 0, max: seconds, step: 0.1, "aria-label": t("voice.position") });
    const track = h("span", { class: "track" }, this.position);
    track.prepend(this.#wave.wave);
    this.element = h(
      "div",
      { class: "voice", role: "group", dir: "ltr" },
      this.#button,
      track,
      this.#length,
      this.#speed,
    );
    this.#button.onclick = () => this.toggle();
    this.#speed.onclick = () => changeSpeed(this);
    this.position.oninput = () => this.#seek(this.position.valueAsNumber);
    this.element.addEventListener("keydown", (event) => this.#onKey(event));
    players.set(this.element, this);
    if (path && current?.player.path === path) {
      current.player = this; // its row was drawn again while it plays
      this.#at = current.audio.currentTime;
    }
    this.draw();
  }

  get isFresh() {
    return Boolean(this.path) && !playedPaths().includes(this.path);
  }

  get #isPlaying() {
    return current?.player === this && !current.audio.paused;
  }

  toggle() {
    if (this.#isPlaying) current?.audio.pause();
    else this.play();
  }

  play() {
    if (current?.player !== this) {
      current?.audio.pause();
      this.#address ||= this.#blob ? URL.createObjectURL(this.#blob) : this.path;
      const audio = new Audio(this.#address);
      current = { player: this, audio };
      const draw = () => current?.audio === audio && current.player.update(audio);
      for (const name of ["play", "pause", "timeupdate"]) audio.addEventListener(name, draw);
      audio.addEventListener("ended", () => current?.audio === audio && current.player.finish());
      if (this.#at) audio.currentTime = this.#at;
    }
    const { audio } = /** @type {{audio: HTMLAudioElement}} */ (current);
    audio.playbackRate = speed();
    markPlayed(this.path);
    audio.play().catch(() => this.#fail());
  }

  /** @param {HTMLAudioElement} audio */
  update(audio) {
    if (audio.paused && !this.element.isConnected) return;
    this.#at = Math.min(audio.currentTime, this.seconds);
    this.draw();
  }

  /** The end is reached: the next recording of the conversation plays on, if it was not played. */
  finish() {
    current = undefined;
    this.#at = 0;
    this.draw();
    const all = [...(this.element.closest(".talk")?.querySelectorAll(".voice") ?? [])];
    const next = players.get(all[all.indexOf(this.element) + 1]);
    if (next?.isFresh) next.play();
  }

  draw() {
    const bars = this.#levels.length;
    const played = Math.round((this.#at / this.seconds) * bars) || 0;
    const [rest, done] = this.#wave.paths;
    rest.setAttribute("d", wavePath(this.#levels, played, bars));
    done.setAttribute("d", wavePath(this.#levels, 0, Math.min(played, bars)));
    const name = t(this.#isPlaying ? "voice.pause" : "voice.play");
    if (this.#button.title !== name) {
      this.#button.title = name;
      this.#button.setAttribute("aria-label", name);
      setChildren(this.#button, icon(this.#isPlaying ? "pause" : "play"));
    }
    const length = clockTime(this.seconds);
    this.position.value = String(this.#at);
    this.position.setAttribute("aria-valuetext", t("voice.at", { at: clockTime(this.#at), length }));
    this.#length.textContent = this.#at ? clockTime(this.#at) : length;
    this.#speed.textContent = `${speed()}×`;
    this.#speed.setAttribute("aria-label", t("voice.speed", { speed: `${speed()}×` }));
    this.element.classList.toggle("fresh", this.isFresh);
    const count = Math.round(this.seconds);
    this.element.setAttribute("aria-label", t(this.isFresh ? "voice.fresh" : "voice.group", { count }));
  }

  /** @param {number} seconds */
  #seek(seconds) {
    this.#at = Math.max(0, Math.min(seconds, this.seconds));
    if (current?.player === this) current.audio.currentTime = this.#at;
    this.draw();
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const { key, target } = event;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 };
    const step = steps[/** @type {keyof typeof steps} */ (key)] ?? 0;
    if (step) this.#seek(this.#at + step * STEP_SECONDS);
    else if (key === ">") changeSpeed(this);
    else if (key === " " && target === this.position) this.toggle();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #fail() {
    if (current?.player === this && current.audio.error) this.#length.textContent = t("voice.failed");
  }
}

/** @type {WeakMap<Element, VoicePlayer>} */
const players = new WeakMap();

/** @returns {number} the speed that the person has chosen in this browser */
function speed() {
  return /** @type {number | undefined} */ (accountValue("voice-speed")) ?? SPEEDS[0];
}

/** @param {VoicePlayer} player */
function changeSpeed(player) {
  setAccountValue("voice-speed", SPEEDS[(SPEEDS.indexOf(speed()) + 1) % SPEEDS.length]);
  if (current) current.audio.playbackRate = speed();
  player.draw();
}
