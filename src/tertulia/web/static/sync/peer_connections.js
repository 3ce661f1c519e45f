/** The connections of a call: one to each other browser in it (a full mesh).
 *
 * Of two browsers the one that came later offers the connection. After that either may restart it, by the pattern of
 * perfect negotiation: if both offer at once, the one that came later gives way. */

/** @typedef {{description?: RTCSessionDescriptionInit, candidates?: RTCIceCandidateInit[]}} Signal */
/** @typedef {{iceServers: RTCIceServer[], isRelayOnly: boolean, sessionId: number, send: (to: number, text: string) =>
 *   unknown, changed: () => void}} MeshOptions `send` delivers texts in order */

const MAX_PART_LENGTH = 2500; // of a signal
const GATHER_MS = 100; // candidates of this time are one signal
const ANSWER_MS = 4000; // an offer or its answer that takes longer was lost, as by a browser that waits for the server
const RESTART_MS = 4000; // after a connection was interrupted
const LOUD = 0.02;
const WEAK_LOSS = 0.05; // of the packets
const WEAK_DELAY_SECONDS = 0.6; // there and back
const MAX_VIDEO_BITS = 600_000; // a second, to each

export class Mesh {
  #options;
  /** @type {Map<number, Peer>} by session */
  peers = new Map();
  /** What this browser sends. @type {{audio: MediaStreamTrack | null, video: MediaStreamTrack | null}} */
  tracks = { audio: null, video: null };
  #speaker = "";

  /** @param {MeshOptions} options */
  constructor(options) {
    this.#options = options;
  }

  /** Connect to the browsers in the call that were there before; those that come later connect to this one.
   * @param {number[]} sessions */
  update(sessions) {
    for (const [id, peer] of this.peers) if (!sessions.includes(id)) this.#drop(id, peer);
    for (const id of sessions) if (id < this.#options.sessionId && !this.peers.has(id)) this.#add(id).offer();
  }

  /** @param {number} from
   * @param {string} text */
  receive(from, text) {
    if (from > this.#options.sessionId && !this.peers.has(from)) this.#add(from);
    return this.peers.get(from)?.receive(text);
  }

  /** @param {"audio" | "video"} kind
   * @param {MediaStreamTrack | null} track */
  setTrack(kind, track) {
    this.tracks[kind] = track;
    for (const peer of this.peers.values()) peer.sendTracks();
  }

  /** @param {string} deviceId from which the sound comes */
  setSpeaker(deviceId) {
    this.#speaker = deviceId;
    for (const peer of this.peers.values()) peer.setSpeaker(deviceId);
  }

  /** Connect again to the browsers that were not reached. */
  retry() {
    for (const { isFailed, connection } of this.peers.values()) if (isFailed) connection.restartIce();
  }

  close() {
    for (const [id, peer] of this.peers) this.#drop(id, peer);
  }

  /** @param {number} id */
  #add(id) {
    const peer = new Peer(id, this.#options, this.tracks);
    this.peers.set(id, peer);
    if (this.#speaker) peer.setSpeaker(this.#speaker);
    return peer;
  }

  /** @param {number} id
   * @param {Peer} peer */
  #drop(id, peer) {
    peer.connection.onconnectionstatechange = null;
    peer.connection.close();
    peer.audio.srcObject = null;
    this.peers.delete(id);
  }
}

class Peer {
  #options;
  #id;
  #tracks;
  #isPolite;
  #isOffering = false;
  #isIgnoring = false;
  #parts = "";
  /** @type {RTCIceCandidateInit[]} */
  #candidates = [];
  /** The signals are handled one after the other. */
  #work = Promise.resolve();
  audio = new Audio();
  /** @type {MediaStream | null} */
  video = null;
  /** Whether much of the sound is lost or late. */
  isWeak = false;
  #received = 0;
  #lost = 0;

  /** @param {number} id
   * @param {MeshOptions} options
   * @param {Mesh["tracks"]} tracks */
  constructor(id, options, tracks) {
    this.#id = id;
    this.#options = options;
    this.#tracks = tracks;
    this.#isPolite = options.sessionId > id;
    const { iceServers, isRelayOnly } = options;
    this.connection = new RTCPeerConnection({
      iceServers,
      iceTransportPolicy: isRelayOnly ? "relay" : "all",
      bundlePolicy: "max-bundle",
    });
    this.connection.onnegotiationneeded = () => this.#negotiate();
    this.connection.onicecandidate = ({ candidate }) => candidate && this.#gather(candidate.toJSON());
    this.connection.ontrack = ({ track }) => this.#show(track);
    this.connection.onconnectionstatechange = () => this.#onState();
  }

  get isConnected() {
    return this.connection.connectionState === "connected";
  }

  /** @param {string} deviceId */
  setSpeaker(deviceId) {
    this.audio.setSinkId?.(deviceId).catch(() => {}); // it is gone
  }

  get isFailed() {
    return this.connection.connectionState === "failed";
  }

  /** Whether the person speaks at this moment. */
  get isSpeaking() {
    const [receiver] = this.connection.getReceivers();
    return (receiver?.getSynchronizationSources()[0]?.audioLevel ?? 0) > LOUD;
  }

  /** Measure how much was lost since the last time. */
  async measure() {
    let [received, lost, delay] = [0, 0, 0];
    for (const stat of (await this.connection.getStats()).values()) {
      if (stat.type === "inbound-rtp" && stat.kind === "audio")
        [received, lost] = [stat.packetsReceived, stat.packetsLost];
      if (stat.type === "candidate-pair" && stat.nominated) delay = stat.currentRoundTripTime ?? 0;
    }
    const newlyLost = lost - this.#lost;
    this.isWeak = newlyLost > WEAK_LOSS * (received - this.#received + newlyLost) || delay > WEAK_DELAY_SECONDS;
    [this.#received, this.#lost] = [received, lost];
  }

  /** Offer a connection; adding the transceivers starts it. */
  offer() {
    for (const kind of /** @type {const} */ (["audio", "video"]))
      preferSmallOffers(this.connection.addTransceiver(kind, { direction: "sendrecv" }), kind);
    this.sendTracks();
  }

  sendTracks() {
    const [audio, video] = this.connection.getTransceivers();
    audio?.sender.replaceTrack(this.#tracks.audio).catch(() => {}); // the connection was closed
    video?.sender.replaceTrack(this.#tracks.video).catch(() => {});
  }

  /** @param {string} text a part of a signal; the last part begins with a full stop */
  receive(text) {
    this.#parts += text.slice(1);
    if (text[0] !== ".") return undefined;
    const whole = this.#parts;
    this.#parts = "";
    // A signal of which a part was lost is repeated.
    this.#work = this.#work.then(() => this.#apply(JSON.parse(whole))).catch(() => {});
    return this.#work;
  }

  /** @param {Signal} signal */
  async #apply({ description, candidates = [] }) {
    const { connection } = this;
    if (description) {
      const isCollision = description.type === "offer" && (this.#isOffering || connection.signalingState !== "stable");
      this.#isIgnoring = isCollision && !this.#isPolite;
      if (this.#isIgnoring) return;
      await connection.setRemoteDescription(description);
      if (description.type === "offer") {
        for (const each of connection.getTransceivers()) each.direction = "sendrecv";
        this.sendTracks();
        await connection.setLocalDescription();
        this.#send({ description: connection.localDescription?.toJSON() });
        this.#limitVideo();
      }
    }
    for (const each of candidates) {
      try {
        await connection.addIceCandidate(each);
      } catch (error) {
        if (!this.#isIgnoring) throw error; // the others belong to the offer that was ignored
      }
    }
  }

  async #negotiate() {
    try {
      this.#isOffering = true;
      await this.connection.setLocalDescription();
      this.#sendOffer();
    } catch {
      // the connection was closed
    } finally {
      this.#isOffering = false;
    }
    this.#limitVideo();
  }

  /** Send the offer until it is answered. */
  #sendOffer() {
    const { localDescription, signalingState } = this.connection;
    if (signalingState !== "have-local-offer") return;
    this.#send({ description: localDescription?.toJSON() });
    setTimeout(() => this.#sendOffer(), ANSWER_MS);
  }

  /** @param {RTCIceCandidateInit} candidate */
  #gather(candidate) {
    this.#candidates.push(candidate);
    if (this.#candidates.length > 1) return;
    setTimeout(() => this.#send({ candidates: this.#candidates.splice(0) }), GATHER_MS);
  }

  /** @param {Signal} signal */
  #send(signal) {
    const text = JSON.stringify(signal);
    for (let at = 0; at < text.length; at += MAX_PART_LENGTH) {
      const isLast = at + MAX_PART_LENGTH >= text.length;
      this.#options.send(this.#id, (isLast ? "." : "+") + text.slice(at, at + MAX_PART_LENGTH));
    }
  }

  /** @param {MediaStreamTrack} track */
  #show(track) {
    const stream = new MediaStream([track]);
    if (track.kind === "video") this.video = stream;
    else {
      this.audio.srcObject = stream;
      this.audio.play().catch(() => {}); // the browser waits for a click
    }
    this.#options.changed();
  }

  #limitVideo() {
    const sender = this.connection.getTransceivers()[1]?.sender;
    const parameters = sender?.getParameters();
    if (!sender || !parameters?.encodings?.length) return;
    parameters.encodings[0].maxBitrate = MAX_VIDEO_BITS;
    sender.setParameters(parameters).catch(() => {}); // between two descriptions
  }

  #onState() {
    const { connection } = this;
    this.#options.changed();
    if (connection.connectionState === "failed") connection.restartIce();
    if (connection.connectionState !== "disconnected") return;
    setTimeout(() => connection.connectionState === "disconnected" && connection.restartIce(), RESTART_MS);
  }
}

/** Offer few codecs, so that a signal is short.
 * @param {RTCRtpTransceiver} transceiver
 * @param {"audio" | "video"} kind */
function preferSmallOffers(transceiver, kind) {
  const codecs = RTCRtpReceiver.getCapabilities(kind)?.codecs ?? [];
  const wanted = kind === "audio" ? /opus/i : /VP8|H264|rtx/i;
  const kept = codecs.filter(({ mimeType }) => wanted.test(mimeType));
  if (kept.length && "setCodecPreferences" in transceiver) transceiver.setCodecPreferences(kept);
}
