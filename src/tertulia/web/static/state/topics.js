/** The topics of channels, and which of them the person follows or has muted. */

import { get } from "../core/api.js";
import { channels } from "./channels.js";
import { topicKey } from "./conversations.js";
import { emit } from "../core/signals.js";

/** @typedef {{name: string, max_id: number}} Topic */

export const INHERIT = 0;
export const MUTED = 1;
export const UNMUTED = 2;
export const FOLLOWED = 3;

/** @type {Map<string, number>} by topic key */
const policies = new Map();
/** @type {Map<number, Topic[]>} by channel, newest first; only channels that were fetched */
const topics = new Map();

/** @param {import("./types.d.ts").Snapshot} snapshot */
export function initTopics(snapshot) {
  policies.clear();
  topics.clear();
  for (const entry of snapshot.user_topics ?? []) setPolicy(entry.stream_id, entry.topic_name, entry.visibility_policy);
}

/** @param {number} channel
 * @param {string} topic
 * @param {number} policy */
export function setPolicy(channel, topic, policy) {
  if (policy === INHERIT) policies.delete(topicKey(channel, topic));
  else policies.set(topicKey(channel, topic), policy);
}

/** @param {number} channel
 * @param {string} topic */
export function policyOf(channel, topic) {
  return policies.get(topicKey(channel, topic)) ?? INHERIT;
}

/** @param {number} channel
 * @param {string} topic */
export function isFollowed(channel, topic) {
  return policyOf(channel, topic) === FOLLOWED;
}

/** Whether the topic is muted, by itself or by its channel.
 * @param {number} channel
 * @param {string} topic */
export function isTopicMuted(channel, topic) {
  const policy = policyOf(channel, topic);
  if (policy === INHERIT) return channels.get(channel)?.is_muted ?? false;
  return policy === MUTED;
}

/** @param {number} channel
 * @returns {Topic[] | undefined} undefined if they were not fetched yet */
export function topicsOf(channel) {
  return topics.get(channel);
}

/** @param {number} channel
 * @returns {Promise<Topic[]>} */
export async function fetchTopics(channel) {
  const response = await get(`/users/me/${channel}/topics`, { allow_empty_topic_name: true });
  topics.set(channel, response.topics);
  emit("topics", channel);
  return response.topics;
}

/** A new message makes its topic the newest of the channel.
 * @param {number} channel
 * @param {string} topic
 * @param {number} id */
export function recordTopic(channel, topic, id) {
  const list = topics.get(channel);
  if (!list) return;
  const key = topicKey(channel, topic);
  const before = list.find((entry) => topicKey(channel, entry.name) === key);
  const others = list.filter((entry) => entry !== before);
  const max = Math.max(id, before?.max_id ?? 0);
  topics.set(
    channel,
    [...others, { name: topic, max_id: max }].sort((a, b) => b.max_id - a.max_id),
  );
  emit("topics", channel);
}

/** The topics of a channel have changed and must be fetched again.
 * @param {number} channel */
export function invalidateTopics(channel) {
  if (topics.delete(channel)) emit("topics", channel);
}
