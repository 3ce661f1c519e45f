/** All tabs of a browser share one poll, because browsers allow six connections to a server. The tab that holds
 * the lock is the leader: it polls and forwards the events to the other tabs. When it closes, the next tab gets
 * the lock and continues with the same queue. */

/** @typedef {import("../core/api_types.d.ts").ServerEvent} ServerEvent */
/** @typedef {import("../state/connection.js").ConnectionState} ConnectionState */
/** @typedef {{queue: string, last: number}} Position the queue and the id of its last event */
/** @typedef {{events?: ServerEvent[], position?: Position, connection?: ConnectionState, restart?: true, hello?:
 *   number}} TabMessage `hello` is sent by a new tab: the last event that it has */
/** @typedef {{onEvents(events: ServerEvent[], position: Position | undefined): void, lastEvent(): number,
 *   onConnection(state: ConnectionState): void, onRestart(): void}} Callbacks called in tabs that are not the leader */

const MAX_RECENT_EVENTS = 500;

export class TabLeader {
  #channel;
  #name;
  #callbacks;
  #isLeader = false;
  /** @type {ServerEvent[]} for new tabs */
  #recentEvents = [];
  /** @type {Position} of the leader */
  position = { queue: "", last: -1 };

  /** @param {string} name one for each account
   * @param {Callbacks} callbacks */
  constructor(name, callbacks) {
    this.#channel = new BroadcastChannel(name);
    this.#callbacks = callbacks;
    this.#name = name;
    this.#channel.onmessage = ({ data }) => this.#onMessage(data);
  }

  get isLeader() {
    return this.#isLeader;
  }

  /** Wait until this tab is the leader.
   * @returns {Promise<void>} */
  async becomeLeader() {
    if (!navigator.locks) {
      this.#isLeader = true;
      return;
    }
    this.#post({ hello: this.#callbacks.lastEvent() });
    await new Promise((resolve) => {
      navigator.locks.request(`${this.#name}-poll`, () => {
        this.#isLeader = true;
        resolve(undefined);
        return new Promise(() => {}); // hold the lock as long as the tab is open
      });
    });
  }

  /** Forward what a poll has returned.
   * @param {ServerEvent[]} events
   * @param {Position} position */
  forward(events, position) {
    this.#recentEvents.push(...events);
    this.#recentEvents.splice(0, this.#recentEvents.length - MAX_RECENT_EVENTS);
    this.#post({ events, position, connection: "live" });
  }

  /** @param {ConnectionState} connection */
  forwardConnection(connection) {
    this.#post({ connection });
  }

  /** The queue was lost: all tabs need a new snapshot. */
  forwardRestart() {
    this.#post({ restart: true });
  }

  /** @param {TabMessage} message */
  #post(message) {
    this.#channel.postMessage(message);
  }

  /** @param {TabMessage} message */
  #onMessage({ events, position, connection, restart, hello }) {
    if (events && !this.#isLeader) this.#callbacks.onEvents(events, position);
    if (connection && !this.#isLeader) this.#callbacks.onConnection(connection);
    if (restart && !this.#isLeader) this.#callbacks.onRestart();
    if (hello !== undefined && this.#isLeader) {
      const missed = this.#recentEvents.filter((event) => event.id > hello);
      this.#post({ events: missed, position: this.position, connection: "live" });
    }
  }
}
