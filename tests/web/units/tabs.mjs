/** Tabs of one browser: a fake BroadcastChannel, and a fake lock that the first tab gets and the next one when it closes. */

const channels = new Set();

class Channel {
  constructor(name) {
    this.name = name;
    channels.add(this);
  }

  postMessage(data) {
    for (const each of channels) if (each !== this && each.name === this.name) each.onmessage?.({ data: structuredClone(data) });
  }
}

/** @type {Map<string, (() => unknown)[]>} by name; the first of each holds the lock */
const waiting = new Map();

const locks = {
  request(name, start) {
    const queue = waiting.get(name) ?? [];
    waiting.set(name, [...queue, start]);
    if (!queue.length) start();
  },
};

/** The tab that holds a lock is closed. */
export function closeHolder(name) {
  const [, ...others] = waiting.get(name);
  waiting.set(name, others);
  others[0]?.();
}

globalThis.BroadcastChannel = Channel;
Object.defineProperty(globalThis, "navigator", { value: { onLine: true, locks }, configurable: true });
