/** The call that this browser is in: its lease, microphone and pictures. It is drawn beside the messages of its
 * conversation, and as a dock while the person reads elsewhere. */

import { ApiError, apiUrl, patch, post } from "../core/api.js";
import { h } from "../core/html.js";
import { formatList, t } from "../core/i18n.js";
import { currentRoute } from "../core/router.js";
import { Scope } from "../core/scope.js";
import { directWith, keyOf } from "../state/conversations.js";
import { nameOf } from "../state/people.js";
import { myId } from "../state/session.js";
import { Mesh } from "../sync/peer_connections.js";
import { CallDock } from "./call_dock.js";
import { CallRoom } from "./call_room.js";
import { toast } from "./layout.js";

/** @typedef {import("../core/api_types.d.ts").ServerEvents["call"]["call"]} RunningCall */
/** @typedef {RunningCall["participants"][number]} Participant */
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
  #startedAt = Date.now();
  #pressedAt = 0;
  #scope = new Scope();
  /** What is on its way to the others, in order. */
  #sending = Promise.resolve();
  #ticks = 0;
  /** The sessions of others that share a screen. @type {Set<number>} */
  #sharing = new Set();
  /** The sessions that speak. @type {Set<number>} */
  speakers = new Set();
  /** @type {MediaStream | null} of the camera or the screen */
  picture = null;
  isMuted = false;
  /** Whether little arrives from anybody. */
  isWeak = false;

  /** @param {JoinedCall} joined
   * @param {MediaStream | null} stream
   * @param {{changed: (call: RunningCall) => void, closed: (call: OpenCall) => void}} heard */
  constructor(joined, stream, heard) {
    this.#heard = heard;
    this.call = joined.call;
    this.token = joined.call.call_token;
    this.sessionId = joined.session_id;
    this.stream = stream;
    this.mesh = new Mesh({
      iceServers: joined.ice_servers,
      isRelayOnly: joined.relay_only,
      sessionId: joined.session_id,
      send: (to, signal) => this.#send(to, signal),
      changed: () => this.#draw(),
    });
    this.mesh.tracks.audio = stream?.getAudioTracks()[0] ?? null;
    this.isMuted = !stream;
    this.#views = [new CallRoom(this), new CallDock(this)];
    this.#scope.on("route", () => this.#draw());
    const lease = setInterval(() => this.#renew(), RENEW_MS);
    const ticking = setInterval(() => this.#tick(), SPEAKING_MS);
    this.#scope.add(() => [lease, ticking].forEach(clearInterval));
    this.#draw();
    if (!stream) this.#renew({ muted: true });
  }

  /** @type {[CallRoom, CallDock]} */
  #views;

  get conversation() {
    return conversationOfCall(this.call);
  }

  /** @returns {Participant | undefined} */
  get me() {
    return this.call.participants.find((each) => each.session_id === this.sessionId);
  }

  get seconds() {
    return (Date.now() - this.#startedAt) / 1000;
  }

  /** @param {RunningCall} call */
  update(call) {
    this.call = call;
    const others = call.participants.filter((each) => each.session_id !== this.sessionId);
    if (others.length === call.participants.length) return this.close(); // it was removed
    this.mesh.update(others.map((each) => each.session_id));
    const sharing = others.filter((each) => each.screen);
    const isTakenOver = sharing.some((each) => !this.#sharing.has(each.session_id));
    if (isTakenOver && this.picture && this.me?.screen) this.#share(undefined);
    this.#sharing = new Set(sharing.map((each) => each.session_id));
    return this.#draw();
  }

  /** Handle a signal. One of an unknown browser shows that the event of its joining was lost, as when a server dies.
   * @param {number} from
   * @param {string} signal */
  receive(from, signal) {
    if (!this.call.participants.some((each) => each.session_id === from)) this.#renew();
    this.mesh.receive(from, signal);
  }

  toggleMute() {
    const [track] = this.stream?.getAudioTracks() ?? [];
    if (!track) return toast(t("call.no-microphone"));
    this.isMuted = !this.isMuted;
    track.enabled = !this.isMuted;
    this.#draw();
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
    if (this.#scope.isClosed) return;
    this.#scope.close();
    const missed = this.call.participants.filter((each) => this.mesh.peers.get(each.session_id)?.isFailed);
    if (missed.length) toast(t("call.unreached", { names: formatList(missed.map((each) => nameOf(each.user_id))) }));
    this.mesh.close();
    for (const stream of [this.stream, this.picture]) stopTracks(stream);
    for (const view of this.#views) view.remove();
    this.#heard.closed(this);
  }

  /** Use this microphone, or any.
   * @param {MediaTrackConstraints} wanted
   * @returns {Promise<boolean>} whether the browser allows it */
  async useMicrophone(wanted) {
    let stream;
    try {
      stream = await navigator.mediaDevices.getUserMedia({ audio: wanted });
    } catch {
      toast(t("call.no-microphone"));
      return false;
    }
    const wasAbsent = !this.stream;
    stopTracks(this.stream);
    this.stream = stream;
    const [track] = stream.getAudioTracks();
    if (wasAbsent) this.isMuted = false;
    track.enabled = !this.isMuted;
    this.mesh.setTrack("audio", track);
    if (wasAbsent) await this.#renew({ muted: false });
    this.#draw();
    return true;
  }

  /** Show the camera or the screen, or stop showing it. One person shows a screen; another may take over.
   * @param {"camera" | "screen"} kind */
  async showPicture(kind) {
    if (this.picture && this.me?.[kind]) return this.#share(undefined);
    const sharing = this.call.participants.find((each) => this.#sharing.has(each.session_id));
    if (kind === "camera" || !sharing) return this.#share(kind);
    const takeOver = h("button", { class: "b", type: "button", onclick: () => this.#share(kind) }, t("call.take-over"));
    return toast(t("call.shares-already", { name: nameOf(sharing.user_id) }), takeOver);
  }

  /** @param {"camera" | "screen" | undefined} kind */
  async #share(kind) {
    stopTracks(this.picture);
    this.picture = null;
    try {
      if (kind)
        this.picture = await (kind === "camera"
          ? navigator.mediaDevices.getUserMedia({ video: { width: 640 } })
          : navigator.mediaDevices.getDisplayMedia({ video: { frameRate: 15 } }));
    } catch {
      toast(t("call.no-picture")); // the person has chosen nothing, or the browser refuses it
    }
    const [track] = this.picture?.getVideoTracks() ?? [];
    if (track) {
      if (kind === "screen") track.contentHint = "detail";
      track.onended = () => this.#share(undefined);
    }
    this.mesh.setTrack("video", track ?? null);
    await this.#renew({ camera: Boolean(track) && kind === "camera", screen: Boolean(track) && kind === "screen" });
  }

  /** Deliver a text to another browser in the call, also after the server was away.
   * @param {number} to
   * @param {string} signal */
  #send(to, signal) {
    const path = `/calls/${this.token}/sessions/${this.sessionId}/signals`;
    const attempt = async () => {
      while (!this.#scope.isClosed) {
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
      if (!this.#scope.isClosed) this.#heard.changed(call);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404 || this.#scope.isClosed) return; // the call goes on
      this.close();
      toast(t("call.lost"));
    }
  }

  #tick() {
    const speaking = [...this.mesh.peers].filter(([, peer]) => peer.isSpeaking).map(([id]) => id);
    this.speakers = new Set(speaking);
    for (const view of this.#views) view.tick();
    if (++this.#ticks % MEASURE_EVERY === 0) this.#measure();
  }

  /** A picture costs most: it pauses on a weak connection. */
  async #measure() {
    const peers = [...this.mesh.peers.values()];
    await Promise.all(peers.map((peer) => peer.measure()));
    this.isWeak = peers.length > 0 && peers.every((peer) => peer.isWeak);
    for (const track of this.picture?.getTracks() ?? []) track.enabled = !this.isWeak;
    if (peers.some((peer) => peer.connection.connectionState !== "connected")) this.#renew(); // it may have left
    this.#draw();
  }

  #draw() {
    if (this.#scope.isClosed) return;
    const open = currentRoute()?.conversation;
    const isHere = open !== undefined && keyOf(open) === keyOf(this.conversation);
    const [room, dock] = this.#views;
    (isHere ? dock : room).remove();
    (isHere ? room : dock).draw();
  }
}

/** @param {MediaStream | null} stream */
function stopTracks(stream) {
  for (const track of stream?.getTracks() ?? []) track.stop();
}
