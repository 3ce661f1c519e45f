/** Access: whether the person may join a channel, and why they cannot write to a conversation. The page shows the
 * reason in place of the compose box. */

import { channelName, channels } from "./channels.js";
import { nameOf, people } from "./people.js";
import { myId, realm, state } from "./session.js";
import { t } from "../core/i18n.js";

/** @typedef {import("./types.d.ts").Permission} Permission */
/** @typedef {{icon: string, text: string, name?: string, unarchives?: number, replies?: boolean}} Closed `name` stands
 *   for \0 in the text; `unarchives`: a channel that the person may bring back; `replies`: the person may answer an
 *   author directly */

/** Whether the person may subscribe to a channel without being added by others.
 * @param {import("./channels.js").Channel} channel */
export function mayJoin(channel) {
  if (channel.is_archived || state.is_guest) return !channel.is_archived && channel.is_web_public === true;
  return (
    !channel.invite_only || (channel.can_subscribe_group !== undefined && hasPermission(channel.can_subscribe_group))
  );
}

/** Whether there is a channel that the person may join and has not. */
export function hasChannelsToJoin() {
  return [...channels.values()].some((channel) => !channel.subscribed && mayJoin(channel));
}

/** @param {{channel: number} | {people: number[]}} target
 * @returns {Closed | undefined} undefined if the person may write */
export function closedReason(target) {
  if ("people" in target) return directClosedReason(target.people);
  const channel = channels.get(target.channel);
  if (!channel) return { icon: "lock", text: t("channel.unknown") };
  if (channel.is_archived)
    return { icon: "archive", text: t("closed.archived"), ...(state.is_admin && { unarchives: target.channel }) };
  if (!hasPermission(channel.can_send_message_group))
    return {
      icon: "lock",
      text: writersText(channel.can_send_message_group),
      name: channelName(target.channel),
      replies: true,
    };
  return undefined;
}

/** Who may write in a channel, if it is one group that the organization has named.
 * @param {Permission | undefined} permission */
function writersText(permission) {
  const group = (state.realm_user_groups ?? []).find((each) => each.id === permission && !each.is_system_group);
  return group ? t("closed.group", { group: group.name, channel: "\0" }) : t("closed.permission", { channel: "\0" });
}

/** @param {number[]} others
 * @returns {Closed | undefined} */
function directClosedReason(others) {
  const left = others.find((id) => people.get(id)?.is_active === false);
  if (left !== undefined)
    return { icon: "person", text: t("closed.left", { name: nameOf(left), organization: realm("name") ?? "" }) };
  const isFree = others.every((id) => id === myId() || people.get(id)?.is_bot);
  if (!isFree && ![myId(), ...others].some((id) => hasPermission(realm("direct_message_permission_group"), id)))
    return { icon: "lock", text: t("closed.direct") };
  return undefined;
}

/** Whether a person has a permission, as far as the page knows the groups.
 * @param {Permission | undefined} permission
 * @param {number} [person]
 * @returns {boolean} */
export function hasPermission(permission, person = myId()) {
  if (permission === undefined) return true;
  if (typeof permission === "object")
    return (
      permission.direct_members.includes(person) || permission.direct_subgroups.some((id) => hasPermission(id, person))
    );
  const group = (state.realm_user_groups ?? []).find((each) => each.id === permission);
  if (!group) return true;
  return group.members.includes(person) || group.direct_subgroup_ids.some((id) => hasPermission(id, person));
}
