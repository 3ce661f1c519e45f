/** A call beside the messages of its conversation: a tile for each person, what somebody shows, and the controls. */

import { h, icon, iconButton, setChildren } from "../core/html.js";
import { formatList, t } from "../core/i18n.js";
import { nameOf, shortName } from "../state/people.js";
import { state } from "../state/session.js";
import { avatar } from "./avatars.js";
import { bars, drawToggles, setToggle } from "./call_dock.js";
import { isPhone, region } from "./layout.js";
import { playTestSound } from "./ring_sound.js";
import { formatTime } from "./time.js";

/** @typedef {import("./call_view.js").OpenCall} OpenCall */
/** @typedef {import("./call_view.js").Participant} Participant */

const LEVEL_MS = 100;

export class CallRoom {
  #open;
  /** The tiles, by session. @type {Map<number, HTMLElement>} */
  #seatOf = new Map();
  #seats = h("ul", { class: "seats", "aria-label": t("call.participants") });
  #stage = h("figure", { class: "shown", hidden: true });
  #notes = h("div", { class: "notes", role: "status" });
  #mute = barButton("mic", t("call.mute"), () => this.#open.toggleMute(), { "aria-keyshortcuts": "Alt+M" });
  #camera = barButton("call", t("call.camera"), () => this.#open.showPicture("camera"));
  #screen = barButton("screen", t("call.screen"), () => this.#open.showPicture("screen"));
  #messages = barButton("chat", t("call.messages"), () => this.#showMessages(!this.#hasMessages));
  #said = h("p", { class: "hidden", role: "status" });
  #element;
  #devices;
  #hasMessages = !isPhone();
  #people = "";

  /** @param {OpenCall} open */
  constructor(open) {
    this.#open = open;
    this.#devices = new DeviceList(open);
    this.#mute.append(h("kbd", { "aria-hidden": "true" }, "Alt M"));
    this.#element = h(
      "section",
      { class: "callroom", "aria-label": t("call.yours") },
      this.#notes,
      this.#stage,
      this.#seats,
      h(
        "div",
        { class: "callbar", role: "toolbar", "aria-label": t("call.name") },
        this.#mute,
        this.#camera,
        this.#screen,
        this.#devices.button,
        this.#messages,
        barButton("hang", t("call.leave"), () => open.leave(), { class: "cb leave" }),
        this.#devices.panel,
      ),
      this.#said,
    );
  }

  draw() {
    const { call, mesh } = this.#open;
    const peers = [...mesh.peers.values()];
    const isAlone = peers.length > 0 && peers.every((peer) => peer.isFailed);
    const shared = call.participants.find((each) => each.screen && this.#pictureOf(each));
    for (const id of this.#seatOf.keys())
      if (!call.participants.some((each) => each.session_id === id)) this.#seatOf.delete(id);
    setChildren(this.#seats, ...call.participants.map((each) => this.#seat(each, each !== shared)));
    this.#drawNotes(isAlone);
    this.#drawStage(shared);
    this.#drawBar();
    this.#element.classList.toggle("staged", shared !== undefined);
    const main = region(".main");
    if (this.#element.parentElement !== main) main.append(this.#element);
    main.classList.add("calling");
    main.classList.toggle("silent", !this.#hasMessages);
    this.tick();
    this.#announce();
  }

  tick() {
    const { call, speakers } = this.#open;
    if (!this.#element.isConnected) return;
    for (const each of call.participants) {
      const seat = this.#seatOf.get(each.session_id);
      const speaks = speakers.has(each.session_id);
      if (!seat || seat.classList.contains("on") === speaks) continue;
      seat.classList.toggle("on", speaks);
      seat.setAttribute("aria-label", this.#labelOf(each));
    }
  }

  remove() {
    if (!this.#element.isConnected) return;
    this.#element.remove();
    this.#devices.close();
    region(".main").classList.remove("calling", "silent");
  }

  /** Tell screen readers who is in the call when that changes. */
  #announce() {
    const { participants } = this.#open.call;
    const names = formatList([...new Set(participants.map((each) => shortName(each.user_id)))]);
    if (this.#people && this.#people !== names) this.#said.textContent = t("call.people", { names });
    this.#people = names;
  }

  /** @param {Participant} participant */
  #pictureOf({ session_id: id, camera, screen }) {
    if (id === this.#open.sessionId) return this.#open.picture;
    return camera || screen ? (this.#open.mesh.peers.get(id)?.video ?? null) : null;
  }

  /** @param {Participant} participant */
  #nameOf({ session_id: id, user_id: person }) {
    return id === this.#open.sessionId ? t("people.you") : nameOf(person);
  }

  /** @param {Participant} participant */
  #labelOf(participant) {
    const name = this.#nameOf(participant);
    if (participant.muted) return t("call.is-muted", { name });
    return this.#open.speakers.has(participant.session_id) ? t("call.speaking", { name }) : name;
  }

  /** @param {Participant} participant
   * @param {boolean} hasPicture whether its picture is in the tile */
  #seat(participant, hasPicture) {
    const { session_id: id, user_id: person, muted } = participant;
    const peer = this.#open.mesh.peers.get(id);
    const seat = this.#seatOf.get(id) ?? h("li", { class: "seat" });
    this.#seatOf.set(id, seat);
    const picture = hasPicture ? this.#pictureOf(participant) : null;
    const isBad = peer?.isFailed === true;
    const state = peer?.connection.connectionState ?? "";
    const trouble = isBad
      ? t("call.not-reached")
      : state === "disconnected"
        ? t("call.reconnecting")
        : peer?.isWeak && t("call.weak");
    seat.classList.toggle("bad", isBad);
    seat.setAttribute("aria-label", this.#labelOf(participant));
    seat.dataset.state = state;
    setChildren(
      seat,
      picture ? videoOf(seat, picture) : avatar(person),
      trouble && h("small", {}, trouble),
      isBad && this.#retryButton("b tight"),
      h(
        "span",
        { class: "nm" },
        h("bdi", { class: "cut" }, this.#nameOf(participant)),
        muted ? icon("mic-off", "s") : bars(),
      ),
    );
    return seat;
  }

  /** @param {string} style */
  #retryButton(style) {
    const retry = () => this.#open.mesh.retry();
    return h("button", { class: style, type: "button", onclick: retry }, t("talk.try-again"));
  }

  /** @param {boolean} isAlone whether nobody was reached */
  #drawNotes(isAlone) {
    const { call, stream, isWeak } = this.#open;
    const time = formatTime(call.started);
    const count = t("notice.call-people", { count: call.participants.length });
    const askAgain = () => this.#open.useMicrophone({});
    this.#element.classList.toggle("none", isAlone);
    setChildren(
      this.#notes,
      h("p", { class: "quiet" }, t("call.since-time", { time }), ", ", isAlone ? t("call.not-connected") : count),
      isWeak && !isAlone && h("p", { class: "weak" }, icon("off", "s"), t("call.weak-text")),
      !stream &&
        h(
          "p",
          { class: "wrong" },
          icon("mic-off", "s"),
          h("span", {}, t("call.no-microphone")),
          h("button", { class: "b tight", type: "button", onclick: askAgain }, t("talk.try-again")),
        ),
      isAlone && this.#nobody(),
    );
  }

  /** What to do in a network that lets no connection through. */
  #nobody() {
    const write = () => this.#showMessages(true);
    return h(
      "div",
      { class: "nobody" },
      h("h2", {}, t("call.none")),
      h("p", {}, t("call.none-text")),
      h(
        "div",
        { class: "go-row" },
        this.#retryButton("b go"),
        h("button", { class: "b", type: "button", onclick: () => this.#open.leave() }, t("call.leave-it")),
      ),
      h("p", {}, h("b", {}, t("call.none-phone")), " ", t("call.none-phone-text")),
      h(
        "p",
        {},
        h("button", { class: "b bare", type: "button", onclick: write }, t("call.none-write")),
        " ",
        t("call.none-write-text"),
      ),
      state.is_admin && h("p", { class: "quiet" }, t("call.none-relay")),
    );
  }

  /** @param {Participant | undefined} shared who shows a screen */
  #drawStage(shared) {
    const picture = shared && this.#pictureOf(shared);
    this.#stage.hidden = !picture;
    if (!shared || !picture) return setChildren(this.#stage);
    const video = videoOf(this.#stage, picture);
    const isMine = shared.session_id === this.#open.sessionId;
    const size = h("button", { class: "b", type: "button", "aria-pressed": "false" }, t("call.actual-size"));
    size.onclick = () => size.setAttribute("aria-pressed", String(this.#stage.classList.toggle("actual")));
    const asPicture = async () => {
      if (document.pictureInPictureElement === video) await document.exitPictureInPicture();
      else await video.requestPictureInPicture();
    };
    return setChildren(
      this.#stage,
      h(
        "figcaption",
        {},
        icon("screen", "s"),
        h("span", { class: "cut" }, isMine ? t("call.you-share") : t("call.shares", { name: nameOf(shared.user_id) })),
        size,
        iconButton("expand", t("call.whole"), { onclick: () => video.requestFullscreen().catch(() => {}) }),
        "requestPictureInPicture" in video &&
          iconButton("cards", t("call.pip"), { onclick: () => asPicture().catch(() => {}) }), // the browser refuses
      ),
      h("div", { class: "pic" }, video),
    );
  }

  #drawBar() {
    const { picture, me } = this.#open;
    drawToggles(this.#open, this.#mute, this.#screen);
    setToggle(this.#camera, "call", t("call.camera"), Boolean(picture && me?.camera));
    setToggle(this.#messages, "chat", t("call.messages"), this.#hasMessages);
  }

  /** @param {boolean} hasMessages */
  #showMessages(hasMessages) {
    this.#hasMessages = hasMessages;
    this.draw();
  }
}

/** @param {string} sign
 * @param {string} text
 * @param {() => unknown} onclick
 * @param {Record<string, string>} [attributes] */
function barButton(sign, text, onclick, attributes = {}) {
  return h("button", { class: "cb", type: "button", onclick, ...attributes }, icon(sign), h("span", {}, text));
}

/** The video element of a part, which keeps playing when the part is drawn again.
 * @param {HTMLElement} part
 * @param {MediaStream} picture */
function videoOf(part, picture) {
  const video = part.querySelector("video") ?? h("video", { autoplay: true, playsinline: true });
  if (video.srcObject !== picture) {
    video.muted = true;
    video.srcObject = picture;
  }
  return video;
}

/** The button for devices, and their list: microphones with the level, loudspeakers, noise, and a test sound. */
class DeviceList {
  #open;
  #speaker = "";
  #reducesNoise = true;
  /** @type {(() => void) | undefined} */
  #stopLevel;
  panel = h("div", { class: "devices", role: "group", "aria-label": t("call.devices"), hidden: true });
  button = barButton("gear", t("call.devices"), () => (this.panel.hidden ? this.show() : this.close()), {
    "aria-expanded": "false",
  });

  /** @param {OpenCall} open */
  constructor(open) {
    this.#open = open;
    this.panel.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.close();
      this.button.focus();
    });
  }

  async show() {
    this.panel.hidden = false;
    this.button.setAttribute("aria-expanded", "true");
    await this.#draw();
    this.panel.querySelector("input")?.focus();
  }

  close() {
    this.panel.hidden = true;
    this.button.setAttribute("aria-expanded", "false");
    this.#stopLevel?.();
    this.#stopLevel = undefined;
  }

  async #draw() {
    const found = (await navigator.mediaDevices?.enumerateDevices?.().catch(() => [])) ?? [];
    const of = (/** @type {MediaDeviceKind} */ kind) => found.filter((each) => each.kind === kind && each.deviceId);
    const microphone = this.#open.stream?.getAudioTracks()[0]?.getSettings().deviceId;
    const speakers = "setSinkId" in HTMLMediaElement.prototype ? of("audiooutput") : [];
    const level = h("meter", { min: 0, max: 1, "aria-label": t("call.level") });
    setChildren(
      this.panel,
      choices(t("call.microphone"), of("audioinput"), microphone, (id) => this.#useMicrophone(id)),
      h("label", { class: "level" }, t("call.level"), level),
      speakers.length > 0 &&
        choices(t("call.speaker"), speakers, this.#speaker || speakers[0].deviceId, (id) => {
          this.#speaker = id;
          this.#open.mesh.setSpeaker(id);
        }),
      h(
        "label",
        { class: "dv" },
        h("input", { type: "checkbox", checked: this.#reducesNoise, onchange: () => this.#toggleNoise() }),
        t("call.noise"),
      ),
      h(
        "button",
        { class: "b bare", type: "button", onclick: () => playTestSound(this.#speaker) },
        icon("play", "s"),
        t("call.test-sound"),
      ),
    );
    this.#showLevel(level);
  }

  /** @param {string} deviceId */
  async #useMicrophone(deviceId) {
    await this.#open.useMicrophone({ deviceId: { exact: deviceId }, noiseSuppression: this.#reducesNoise });
    if (!this.panel.hidden) await this.#draw();
  }

  #toggleNoise() {
    this.#reducesNoise = !this.#reducesNoise;
    for (const track of this.#open.stream?.getAudioTracks() ?? [])
      track.applyConstraints({ noiseSuppression: this.#reducesNoise }).catch(() => {}); // it cannot
  }

  /** @param {HTMLMeterElement} level */
  #showLevel(level) {
    this.#stopLevel?.();
    const { stream } = this.#open;
    if (!stream) return;
    const context = new AudioContext();
    const analyser = context.createAnalyser();
    context.createMediaStreamSource(stream).connect(analyser);
    const samples = new Float32Array(analyser.fftSize);
    const timer = setInterval(() => {
      analyser.getFloatTimeDomainData(samples);
      level.value = Math.min(1, 4 * Math.max(...samples.map(Math.abs)));
    }, LEVEL_MS);
    this.#stopLevel = () => {
      clearInterval(timer);
      context.close();
    };
  }
}

/** @param {string} title
 * @param {MediaDeviceInfo[]} devices
 * @param {string | undefined} chosen
 * @param {(id: string) => unknown} choose */
function choices(title, devices, chosen, choose) {
  return h(
    "fieldset",
    {},
    h("legend", {}, title),
    ...devices.map(({ kind, deviceId, label }) =>
      h(
        "label",
        { class: "dv" },
        h("input", {
          type: "radio",
          name: kind,
          checked: deviceId === chosen,
          onchange: () => choose(deviceId),
        }),
        h("span", { class: "cut" }, label || title),
      ),
    ),
  );
}
