/** All tabs of a browser share one poll: browsers allow six connections to a server, and a tab that
 * polls holds one. The tab that has the lock leads: it polls and tells the others what it hears. When
 * it goes, the next one gets the lock and goes on at the same queue. */

/** @typedef {{queue: string, last: number}} Position */

export class TabLeader {
  #channel;
  #isLeader = false;
  /** @type {Record<string, any>[]} what was heard lately, for tabs that come */
  #recentEvents = [];

  /** @param {string} name one for each person
   * @param {{hear(events: Record<string, any>[], position: Position): void, since(): number, connection(state: string): void, restart(): void}} own */
  constructor(name, own) {
    this.#channel = new BroadcastChannel(name);
    this.own = own;
    this.name = name;
    this.#channel.onmessage = ({ data }) => this.#onMessage(data);
  }

  get isLeader() {
    return this.#isLeader;
  }

  /** Lead when it is our turn. Resolves when it is; until then we listen.
   * @returns {Promise<void>} */
  async becomeLeader() {
    if (!navigator.locks) {
      this.#isLeader = true;
      return;
    }
    this.#channel.postMessage({ hello: this.own.since() });
    await new Promise((led) => {
      navigator.locks.request(`${this.name}-poll`, () => {
        this.#isLeader = true;
        led(undefined);
        return new Promise(() => {}); // held as long as the tab lives
      });
    });
  }

  /** @param {Record<string, any>[]} events
   * @param {Position} position */
  forward(events, position) {
    this.#recentEvents.push(...events);
    this.#recentEvents.splice(0, this.#recentEvents.length - 500);
    this.#channel.postMessage({ events, position });
  }

  /** @param {string} state */
  forwardConnection(state) {
    this.#channel.postMessage({ connection: state });
  }

  /** What was known is no longer good, for any tab. */
  forwardRestart() {
    this.#channel.postMessage({ restart: true });
  }

  /** @param {any} data */
  #onMessage(data) {
    if (data.events && !this.#isLeader) this.own.hear(data.events, data.position);
    if (data.connection && !this.#isLeader) this.own.connection(data.connection);
    if (data.restart && !this.#isLeader) this.own.restart();
    if (data.hello !== undefined && this.#isLeader) {
      const missed = this.#recentEvents.filter((event) => event.id > data.hello);
      this.#channel.postMessage({ events: missed, position: this.position, connection: "live" });
    }
  }

  /** @type {Position} */
  position = { queue: "", last: -1 };
}
