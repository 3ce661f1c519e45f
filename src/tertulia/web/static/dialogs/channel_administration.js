/** What administrators do with one channel: its mail address, its export; and its permissions in sentences. */

import { get, post } from "../core/api.js";
import { h } from "../core/html.js";
import { formatList, t } from "../core/i18n.js";
import { nameOf } from "../state/people.js";
import { realm, state } from "../state/session.js";
import { actionButton, formSection, groupName, labelled } from "./forms.js";

/** @typedef {import("../state/channels.js").Channel} Channel */
/** @typedef {import("../state/types.d.ts").Permission} Permission */

/** @param {Channel} channel */
export function privacyOf(channel) {
  if (channel.is_web_public) return "web-public";
  return channel.invite_only ? (channel.history_public_to_subscribers ? "private" : "protected") : "public";
}

/** Who may read, write, join and change a channel, in one sentence each.
 * @param {Channel} channel
 * @returns {string[]} */
export function channelSentences(channel) {
  const { can_send_message_group: writers, can_create_topic_group: starters, can_subscribe_group: joiners, can_administer_channel_group: administrators } = channel;
  const names = (/** @type {Permission | undefined} */ value) => formatList(namesIn(value));
  return [t(`explain.read.${privacyOf(channel)}`),
    channel.invite_only && !isEmpty(joiners) && t("explain.join", { names: names(joiners) }),
    channel.is_archived ? t("explain.write.archived") : writersSentence(writers),
    !channel.is_archived && starters !== undefined && systemGroup(starters) !== "role:everyone" && !isSame(starters, writers) && t("explain.topics", { names: names(starters) }),
    !isEmpty(administrators) && !["role:administrators", "role:owners"].includes(systemGroup(administrators) ?? "") && t("explain.administer", { names: names(administrators) })]
    .filter((sentence) => typeof sentence === "string");
}

/** The mail address of a channel. It is fetched on request, because the audit log records who has read it.
 * @param {number} id */
export function mailSection(id) {
  const address = h("input", { class: "f", readonly: true, dir: "ltr", "aria-label": t("channel.mail") });
  const shown = h("div", { class: "fields", hidden: true }, address, actionButton(t("channel.mail-copy"), () => navigator.clipboard.writeText(address.value).catch(() => address.select())));
  const show = actionButton(t("channel.mail-show"), async () => {
    address.value = (await get(`/streams/${id}/email_address`)).email;
    shown.hidden = false;
    show.hidden = true;
    address.focus();
    address.select();
  });
  return formSection(t("channel.mail"), h("p", { class: "quiet" }, t("channel.mail-text")), show, shown);
}

/** The export of a channel, for administrators. A private channel has a choice of what is in it.
 * @param {Channel} channel */
export function exportSection(channel) {
  const everything = state.is_owner && realm("owner_full_content_access");
  const kinds = [["full_with_consent", t("channel.export-consent")], ...(everything ? [["full_without_consent", t("channel.export-everything")]] : [])];
  const kind = h("select", { class: "f", name: "export_type" }, ...kinds.map(([value, text]) => h("option", { value }, text)));
  const start = async () => {
    await post(`/streams/${channel.stream_id}/export`, { export_type: channel.invite_only ? kind.value : "public" });
    return t("channel.export-started");
  };
  return formSection(t("channel.export"), h("p", { class: "quiet" }, t("channel.export-text")), channel.invite_only && labelled(t("channel.export-kind"), kind), actionButton(t("channel.export"), start));
}

/** @param {Permission | undefined} value */
function writersSentence(value) {
  const group = systemGroup(value);
  if (group === "role:internet") return t("explain.write.role:everyone");
  return group ? t(`explain.write.${group}`) : t("explain.write.several", { names: formatList(namesIn(value)) });
}

/** The names of the groups and people that have a permission.
 * @param {Permission | undefined} value
 * @returns {string[]} */
export function namesIn(value) {
  if (value === undefined) return [];
  const { direct_subgroups: groups, direct_members: people } = typeof value === "number" ? { direct_subgroups: [value], direct_members: [] } : value;
  const named = groups.map((id) => state.realm_user_groups?.find((group) => group.id === id)).filter((group) => group !== undefined);
  return [...named.map(groupName), ...people.map((id) => nameOf(id))];
}

/** The name of a system group, if the permission has no other value.
 * @param {Permission | undefined} value */
function systemGroup(value) {
  const group = typeof value === "number" ? state.realm_user_groups?.find((each) => each.id === value) : undefined;
  return group?.is_system_group ? group.name : undefined;
}

/** @param {Permission | undefined} value */
function isEmpty(value) {
  return value === undefined || systemGroup(value) === "role:nobody";
}

/** @param {Permission | undefined} a
 * @param {Permission | undefined} b */
function isSame(a, b) {
  return JSON.stringify(a) === JSON.stringify(b);
}
