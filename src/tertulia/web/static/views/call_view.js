/** The call that this browser is in: its dock beside the conversations, with the people, the microphone and what is
 * shared. */

import { ApiError, apiUrl, patch, post } from "../core/api.js";
import { h, icon, iconButton, setChildren } from "../core/html.js";
import { formatList, t } from "../core/i18n.js";
import { directWith, titleOf } from "../state/conversations.js";
import { conversationHash } from "../state/narrow.js";
import { nameOf, shortName } from "../state/people.js";
import { myId } from "../state/session.js";
import { Mesh } from "../sync/peer_connections.js";
import { avatar } from "./avatars.js";
import { isPhone, region, toast } from "./layout.js";
import { clockTime } from "./time.js";

/** @typedef {import("../core/api_types.d.ts").ServerEvents["call"]["call"]} RunningCall */
/** @typedef {import("../core/api_types.d.ts").ApiResponse<"POST", "/calls">} JoinedCall */

const RENEW_MS = 120_000;
const SPEAKING_MS = 250;
const MEASURE_EVERY = 20; // looks who speaks
const HELD_MS = 400; // the key to mute: longer, it is held to talk
const SEND_AGAIN_MS = 1000;

/** Who is in a call.
 * @param {RunningCall} call */
export function peopleIn({ participants }) {
  return [...new Set(participants.map((each) => each.user_id))];
}

/** @param {RunningCall} call */
export function conversationOfCall({ stream_id: channel, topic, user_ids: people }) {
  return channel === undefined
    ? directWith((people ?? []).filter((id) => id !== myId()))
    : { channel, topic: topic ?? "" };
}

export class OpenCall {
  #heard;
  #stream;
  /** @type {MediaStream | null} of the camera or the screen */
  #picture = null;
  #startedAt;
  #pressedAt = 0;
  #lease;
  #ticking;
  /** What is on its way to the others, in order. */
  #sending = Promise.resolve();
  #isClosed = false;
  #time = h("time");
  #line = h("span", { class: "say", role: "status" });
  /** A caption of who speaks; screen readers hear it themselves. */
  #says = h("span", { class: "say" });
  #ticks = 0;
  #mute = iconButton("mic", t("call.mute"), { "aria-keyshortcuts": "Alt+M", onclick: () => this.toggleMute() });
  #camera = iconButton("call", t("call.camera"), { onclick: () => this.#showPicture("camera") });
  #screen = iconButton("screen", t("call.screen"), { onclick: () => this.#showPicture("screen") });
  #seats = h("ul", { class: "seats", "aria-label": t("call.participants") });
  #devices = h("select", { "aria-label": t("call.microphone"), onchange: () => this.#changeMicrophone() });
  /** @type {Map<number, HTMLElement>} by session */
  #seatOf = new Map();
  isMuted = false;

  /** @param {JoinedCall} joined
   * @param {MediaStream | null} stream
   * @param {{changed: (call: RunningCall) => void, closed: (call: OpenCall) => void}} heard */
  constructor(joined, stream, heard) {
    this.#heard = heard;
    this.call = joined.call;
    this.token = joined.call.call_token;
    this.sessionId = joined.session_id;
    this.#stream = stream;
    this.#startedAt = Date.now();
    this.mesh = new Mesh({
      iceServers: joined.ice_servers,
      isRelayOnly: joined.relay_only,
      sessionId: joined.session_id,
      send: (to, signal) => this.#send(to, signal),
      changed: () => this.#drawSeats(),
    });
    this.mesh.tracks.audio = stream?.getAudioTracks()[0] ?? null;
    this.isMuted = !stream;
    const leave = h(
      "button",
      { class: "b", type: "button", onclick: () => this.leave() },
      icon("hang", "s"),
      t("call.leave"),
    );
    const { conversation } = this;
    const link = h(
      "a",
      { class: "to-call", href: conversationHash(conversation, joined.call.message_id) },
      icon("phone", "s"),
      h("b", { class: "cut" }, h("bdi", {}, titleOf(conversation))),
      this.#time,
    );
    this.dock = h(
      "section",
      { class: "dock", "aria-label": t("call.yours") },
      link,
      this.#seats,
      this.#line,
      this.#says,
      h("div", { class: "go-row" }, this.#mute, this.#camera, this.#screen, leave),
      h("label", { class: "devices" }, icon("mic", "s"), this.#devices),
    );
    if (isPhone()) document.body.append(this.dock);
    else region(".side .foot").before(this.dock);
    this.#lease = setInterval(() => this.#renew(), RENEW_MS);
    this.#ticking = setInterval(() => this.#tick(), SPEAKING_MS);
    this.#listDevices();
    this.#drawButtons();
    if (!stream) this.#renew({ muted: true });
  }

  get conversation() {
    return conversationOfCall(this.call);
  }

  /** @param {RunningCall} call */
  update(call) {
    this.call = call;
    const sessions = call.participants.map((each) => each.session_id);
    if (!sessions.includes(this.sessionId)) return this.close(); // it was removed
    const others = sessions.filter((id) => id !== this.sessionId);
    const before = this.#seatOf.size;
    this.mesh.update(others);
    this.#drawSeats();
    if (before && before !== this.#seatOf.size)
      this.#line.textContent = t("call.people", { names: formatList(peopleIn(call).map(shortName)) });
    return undefined;
  }

  toggleMute() {
    const [track] = this.#stream?.getAudioTracks() ?? [];
    if (!track) return toast(t("call.no-microphone"));
    this.isMuted = !this.isMuted;
    track.enabled = !this.isMuted;
    this.#drawButtons();
    this.#renew({ muted: this.isMuted });
    return undefined;
  }

  /** A press mutes; while it is held, the person talks.
   * @param {KeyboardEvent} event */
  pressKey(event) {
    if (event.repeat) return;
    this.#pressedAt = Date.now();
    this.toggleMute();
  }

  /** @param {KeyboardEvent} event */
  releaseKey(event) {
    if (event.code !== "KeyM" || !this.#pressedAt) return;
    if (Date.now() - this.#pressedAt > HELD_MS) this.toggleMute();
    this.#pressedAt = 0;
  }

  /** Ring for people who may join.
   * @param {number[]} people */
  ring(people) {
    if (!people.length) return;
    const path = `/calls/${this.token}/sessions/${this.sessionId}/ring`;
    post(path, { user_ids: people }).catch((/** @type {Error} */ error) => toast(error.message));
  }

  /** Leave the call. */
  async leave() {
    this.leaveAtOnce();
    this.close();
  }

  /** The page is about to be closed. */
  leaveAtOnce() {
    fetch(apiUrl(`/calls/${this.token}/sessions/${this.sessionId}`), { method: "DELETE", keepalive: true }).catch(
      () => {}, // the lease ends
    );
  }

  /** This browser is no longer in the call. */
  close() {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const missed = this.call.participants.filter((each) => this.mesh.peers.get(each.session_id)?.isFailed);
    if (missed.length) toast(t("call.unreached", { names: formatList(missed.map((each) => nameOf(each.user_id))) }));
    clearInterval(this.#lease);
    clearInterval(this.#ticking);
    this.mesh.close();
    for (const stream of [this.#stream, this.#picture]) for (const track of stream?.getTracks() ?? []) track.stop();
    this.dock.remove();
    this.#heard.closed(this);
  }

  /** Deliver a text to another browser in the call, also after the server was away.
   * @param {number} to
   * @param {string} signal */
  #send(to, signal) {
    const path = `/calls/${this.token}/sessions/${this.sessionId}/signals`;
    const attempt = async () => {
      while (!this.#isClosed) {
        try {
          return void (await post(path, { to_session_id: to, signal }));
        } catch (error) {
          if (error instanceof ApiError && error.status !== 429) return undefined; // it has left
          await new Promise((resolve) => setTimeout(resolve, SEND_AGAIN_MS));
        }
      }
      return undefined;
    };
    this.#sending = this.#sending.then(attempt);
  }

  /** @param {{muted?: boolean, camera?: boolean, screen?: boolean}} [media] */
  async #renew(media = {}) {
    try {
      const { call } = await patch(`/calls/${this.token}/sessions/${this.sessionId}`, media);
      if (!this.#isClosed) this.#heard.changed(call);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404 || this.#isClosed) return; // the call goes on
      this.close();
      toast(t("call.lost"));
    }
  }

  #tick() {
    this.#time.textContent = clockTime((Date.now() - this.#startedAt) / 1000);
    const speakers = [];
    for (const { session_id: id, user_id: person, muted } of this.call.participants) {
      const speaks = this.mesh.peers.get(id)?.isSpeaking === true;
      const seat = this.#seatOf.get(id);
      if (speaks) speakers.push(nameOf(person));
      if (seat?.classList.contains("on") === speaks) continue;
      seat?.classList.toggle("on", speaks);
      seat?.setAttribute("aria-label", this.#labelOf(id, person, muted, speaks));
    }
    this.#says.textContent = speakers.length ? t("call.is-speaking", { name: formatList(speakers) }) : "";
    if (++this.#ticks % MEASURE_EVERY === 0) this.#measure();
  }

  async #measure() {
    await Promise.all([...this.mesh.peers.values()].map((peer) => peer.measure()));
    this.#drawSeats();
  }

  /** @param {number} id of the session
   * @param {number} person
   * @param {boolean} muted
   * @param {boolean} speaks */
  #labelOf(id, person, muted, speaks) {
    const name = id === this.sessionId ? t("people.you") : nameOf(person);
    return muted ? t("call.is-muted", { name }) : speaks ? t("call.speaking", { name }) : name;
  }

  #drawButtons() {
    const { isMuted } = this;
    const name = t(isMuted ? "call.unmute" : "call.mute");
    this.#mute.title = name;
    this.#mute.setAttribute("aria-label", name);
    this.#mute.setAttribute("aria-pressed", String(isMuted));
    setChildren(this.#mute, icon(isMuted ? "mic-off" : "mic"));
    const me = this.call.participants.find((each) => each.session_id === this.sessionId);
    this.#camera.setAttribute("aria-pressed", String(Boolean(me?.camera && this.#picture)));
    this.#screen.setAttribute("aria-pressed", String(Boolean(me?.screen && this.#picture)));
  }

  #drawSeats() {
    if (this.#isClosed) return;
    const seats = this.call.participants.map((each) => this.#seat(each));
    for (const id of this.#seatOf.keys())
      if (!this.call.participants.some((each) => each.session_id === id)) this.#seatOf.delete(id);
    setChildren(this.#seats, ...seats);
    this.#drawButtons();
  }

  /** @param {RunningCall["participants"][number]} participant */
  #seat({ session_id: id, user_id: person, muted, camera, screen }) {
    const isMe = id === this.sessionId;
    const peer = this.mesh.peers.get(id);
    const seat = this.#seatOf.get(id) ?? h("li", { class: "seat" });
    this.#seatOf.set(id, seat);
    const name = isMe ? t("people.you") : nameOf(person);
    const stream = isMe ? this.#picture : camera || screen ? (peer?.video ?? null) : null;
    const shown = seat.querySelector("video");
    const video = stream ? (shown ?? h("video", { autoplay: true, playsinline: true })) : null;
    if (video && video.srcObject !== stream) {
      video.muted = true;
      video.srcObject = stream;
    }
    const isBad = !isMe && peer?.isFailed === true;
    const retry =
      isBad &&
      h("button", { class: "b tight", type: "button", onclick: () => this.mesh.retry(id) }, t("talk.try-again"));
    seat.classList.toggle("bad", isBad);
    seat.setAttribute("aria-label", this.#labelOf(id, person, muted, seat.classList.contains("on")));
    const state = peer?.connection.connectionState;
    const trouble = isBad
      ? t("call.not-reached")
      : state === "disconnected"
        ? t("call.reconnecting")
        : !isMe && peer?.isWeak && t("call.weak");
    const asPicture = async () => {
      if (document.pictureInPictureElement === video) await document.exitPictureInPicture();
      else await video?.requestPictureInPicture();
    };
    const tools =
      video &&
      !isMe &&
      h(
        "span",
        { class: "seat-tools" },
        iconButton("expand", t("call.whole"), { onclick: () => video.requestFullscreen().catch(() => {}) }),
        "requestPictureInPicture" in video &&
          iconButton("cards", t("call.pip"), { onclick: () => asPicture().catch(() => {}) }), // the browser refuses
      );
    seat.dataset.state = isMe ? "" : (peer?.connection.connectionState ?? "");
    setChildren(
      seat,
      video ?? avatar(person),
      h("span", { class: "nm" }, h("bdi", { class: "cut" }, name), muted && icon("mic-off", "s")),
      trouble && h("small", {}, trouble),
      tools,
      retry,
    );
    return seat;
  }

  /** Show the camera or the screen, or stop showing it.
   * @param {"camera" | "screen"} kind */
  async #showPicture(kind) {
    const me = this.call.participants.find((each) => each.session_id === this.sessionId);
    const wasShown = this.#picture && me?.[kind];
    for (const track of this.#picture?.getTracks() ?? []) track.stop();
    this.#picture = null;
    const sharing = this.call.participants.find((each) => each.screen && each.session_id !== this.sessionId);
    if (kind === "screen" && sharing && !wasShown) toast(t("call.shares-already", { name: nameOf(sharing.user_id) }));
    else if (!wasShown) {
      try {
        this.#picture = await (kind === "camera"
          ? navigator.mediaDevices.getUserMedia({ video: { width: 640 } })
          : navigator.mediaDevices.getDisplayMedia({ video: { frameRate: 15 } }));
      } catch {
        toast(t("call.no-picture")); // the person has chosen nothing, or the browser refuses it
      }
    }
    const [track] = this.#picture?.getVideoTracks() ?? [];
    if (track) {
      if (kind === "screen") track.contentHint = "detail";
      track.onended = () => this.#showPicture(kind);
    }
    this.mesh.setTrack("video", track ?? null);
    await this.#renew({ camera: Boolean(track) && kind === "camera", screen: Boolean(track) && kind === "screen" });
  }

  async #listDevices() {
    const found = (await navigator.mediaDevices?.enumerateDevices?.().catch(() => [])) ?? [];
    const microphones = found.filter(({ kind, deviceId }) => kind === "audioinput" && deviceId);
    setChildren(this.#devices, ...microphones.map(({ deviceId, label }) => h("option", { value: deviceId }, label)));
    /** @type {HTMLElement} */ (this.#devices.parentElement).hidden = microphones.length < 2;
  }

  async #changeMicrophone() {
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: { deviceId: { exact: this.#devices.value } } });
      for (const track of this.#stream?.getTracks() ?? []) track.stop();
      this.#stream = stream;
      const [track] = stream.getAudioTracks();
      track.enabled = !this.isMuted;
      this.mesh.setTrack("audio", track);
    } catch (error) {
      toast(/** @type {Error} */ (error).message);
    }
  }
}
