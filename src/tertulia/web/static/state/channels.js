/** Channels, subscribed or not, and channel folders. */

import { emit } from "../core/signals.js";

/** @typedef {import("../core/api_types.d.ts").Schemas} Schemas */
/** @typedef {Schemas["ChannelObject"] & Partial<Schemas["SubscriptionObject"]> & {color: string, subscribed: boolean}}
 *   Channel */

/** @typedef {{id: number, name: string, description: string, order?: number, is_archived: boolean}} Folder */

export const DEFAULT_COLOR = "#9aa39c";

/** @type {Map<number, Channel>} */
export const channels = new Map();
/** @type {Map<number, Folder>} */
export const folders = new Map();

/** @param {import("./types.d.ts").Snapshot} snapshot */
export function initChannels(snapshot) {
  channels.clear();
  folders.clear();
  const isSpectating = !snapshot.user_id; // spectators get the public channels only, and read all of them
  for (const channel of [...(snapshot.streams ?? []), ...(snapshot.never_subscribed ?? [])])
    addChannel(channel, isSpectating);
  for (const channel of snapshot.unsubscribed ?? []) addChannel(channel, false);
  for (const channel of snapshot.subscriptions ?? []) addChannel(channel, true);
  for (const folder of snapshot.channel_folders ?? []) folders.set(folder.id, folder);
}

/** Add a channel, or update it.
 * @param {Schemas["ChannelObject"] & Partial<Schemas["SubscriptionObject"]>} channel
 * @param {boolean} subscribed */
export function addChannel(channel, subscribed) {
  const before = channels.get(channel.stream_id);
  const color = channel.color ?? before?.color ?? DEFAULT_COLOR;
  channels.set(channel.stream_id, { ...before, ...channel, color, subscribed });
}

/** @param {number} id
 * @returns {string} */
export function channelName(id) {
  return channels.get(id)?.name ?? "";
}

/** @param {number} id
 * @returns {string} */
export function channelColor(id) {
  return channels.get(id)?.color ?? DEFAULT_COLOR;
}

/** @param {string} name
 * @returns {Channel | undefined} */
export function findChannel(name) {
  const lowered = name.toLowerCase();
  return [...channels.values()].find((channel) => channel.name.toLowerCase() === lowered);
}

/** Subscribed channels, by name.
 * @returns {Channel[]} */
export function myChannels() {
  return [...channels.values()].filter((channel) => channel.subscribed && !channel.is_archived).sort(byName);
}

/** Subscribed channels as the sidebar groups them: pinned, by folder, the others, and those without a new message.
 * @returns {{key: string, folder: Folder | null, channels: Channel[]}[]} */
export function groupedChannels() {
  const groups = new Map();
  for (const channel of myChannels()) {
    const key = channel.pin_to_top
      ? "pinned"
      : channel.is_recently_active === false
        ? "inactive"
        : folders.has(channel.folder_id ?? -1)
          ? `folder-${channel.folder_id}`
          : "others";
    if (!groups.has(key))
      groups.set(key, {
        key,
        folder: key.startsWith("folder-") ? (folders.get(channel.folder_id ?? -1) ?? null) : null,
        channels: [],
      });
    groups.get(key).channels.push(channel);
  }
  for (const group of groups.values()) group.channels.sort(mutedLast);
  return [...groups.values()].sort(
    (a, b) => rank(a) - rank(b) || (a.folder?.name ?? "").localeCompare(b.folder?.name ?? ""),
  );
}

/** Folders that are not archived, in their order.
 * @returns {Folder[]} */
export function sortedFolders() {
  return [...folders.values()].filter((folder) => !folder.is_archived).sort((a, b) => (a.order ?? 0) - (b.order ?? 0));
}

/** @param {number} id
 * @param {Partial<Channel>} changes */
export function updateChannel(id, changes) {
  const channel = channels.get(id);
  if (channel) Object.assign(channel, changes);
  emit("channels", id);
}

/** @param {{key: string, folder: Folder | null}} group */
function rank(group) {
  if (group.key === "pinned") return -1;
  if (group.key === "inactive") return 2e9;
  return group.key === "others" ? 1e9 : (group.folder?.order ?? 0);
}

/** @param {Channel} a
 * @param {Channel} b */
function byName(a, b) {
  return a.name.localeCompare(b.name);
}

/** @param {Channel} a
 * @param {Channel} b */
function mutedLast(a, b) {
  return Number(a.is_muted) - Number(b.is_muted) || byName(a, b);
}
