/** What administrators do with one channel: its mail address, its export; and its permissions in sentences. */

import { get, post } from "../core/api.js";
import { h } from "../core/html.js";
import { formatList, t } from "../core/i18n.js";
import { realm, state } from "../state/session.js";
import { hasPermission } from "../state/write_access.js";
import { confirmAction } from "./dialog.js";
import { actionButton, formSection, labelled } from "./forms.js";
import { holdersOf } from "./permission_field.js";

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
  const {
    can_send_message_group: writers,
    can_create_topic_group: starters,
    can_subscribe_group: joiners,
    can_administer_channel_group: administrators,
  } = channel;
  const names = (/** @type {Permission} */ value) => formatList(namesIn(value));
  return [
    t(`explain.read.${privacyOf(channel)}`),
    channel.invite_only && !isEmpty(joiners) && t("explain.join", { names: names(joiners) }),
    channel.is_archived ? t("explain.write.archived") : writersSentence(writers),
    !channel.is_archived &&
      starters !== undefined &&
      roleOf(starters) !== "role:everyone" &&
      !isSame(starters, writers) &&
      t("explain.topics", { names: names(starters) }),
    !isEmpty(administrators) &&
      !["role:administrators", "role:owners"].includes(roleOf(administrators) ?? "") &&
      t("explain.administer", { names: names(administrators) }),
  ].filter((sentence) => typeof sentence === "string");
}

/** The mail address of a channel. It is fetched on request, because the audit log records who has read it.
 * @param {Channel} channel
 * @param {boolean} mayRenew */
export function mailSection(channel, mayRenew) {
  const { stream_id: id, name } = channel;
  const address = h("input", { class: "f", readonly: true, dir: "ltr", "aria-label": t("channel.mail") });
  const shown = h(
    "div",
    { class: "fields", hidden: true },
    address,
    actionButton(t("dialog.copy"), () => navigator.clipboard.writeText(address.value).catch(() => address.select())),
  );
  const present = (/** @type {string} */ email) => {
    address.value = email;
    shown.hidden = false;
    show.hidden = true;
    address.focus();
    address.select();
  };
  const show = actionButton(t("channel.mail-show"), async () =>
    present((await get(`/streams/${id}/email_address`)).email),
  );
  const renew = actionButton(
    t("channel.mail-renew"),
    async () => {
      if (
        !(await confirmAction(t("channel.mail-renew"), t("channel.mail-renew-text", { name }), t("channel.mail-renew")))
      )
        return "";
      present((await post(`/streams/${id}/email_address/regenerate`)).email);
      return t("channel.mail-renewed");
    },
    "risk",
  );
  return formSection(
    t("channel.mail"),
    h("p", { class: "quiet" }, t("channel.mail-text")),
    show,
    shown,
    mayRenew && renew,
  );
}

/** The export of a channel, for administrators. A private channel has a choice of what is in it.
 * @param {Channel} channel */
export function exportSection(channel) {
  const everything = state.is_owner && realm("owner_full_content_access");
  const kinds = [
    ["full_with_consent", t("channel.export-consent")],
    ...(everything ? [["full_without_consent", t("channel.export-everything")]] : []),
  ];
  const kind = h(
    "select",
    { class: "f", name: "export_type" },
    ...kinds.map(([value, text]) => h("option", { value }, text)),
  );
  const start = async () => {
    await post(`/streams/${channel.stream_id}/export`, { export_type: channel.invite_only ? kind.value : "public" });
    return t("channel.export-started");
  };
  return formSection(
    t("channel.export"),
    h("p", { class: "quiet" }, t("channel.export-text")),
    channel.invite_only && labelled(t("channel.export-kind"), kind),
    actionButton(t("channel.export"), start),
  );
}

/** @param {Permission} value */
function writersSentence(value) {
  const group = roleOf(value);
  if (group === "role:internet") return t("explain.write.role:everyone");
  return group ? t(`explain.write.${group}`) : t("explain.write.several", { names: formatList(namesIn(value)) });
}

/** The names of the groups and people that have a permission.
 * @param {Permission} value
 * @returns {string[]} */
export function namesIn(value) {
  return holdersOf(value).map((holder) => holder.name);
}

/** The name of the role that says all about a permission: what else the value has is contained in it.
 * @param {Permission} value
 * @returns {string | undefined} */
function roleOf(value) {
  const holders = holdersOf(value);
  const groups = (state.realm_user_groups ?? []).filter(
    (group) => group.is_system_group && holders.some(({ kind, id }) => kind === "group" && id === group.id),
  );
  const widest = groups.find((group) =>
    holders.every(({ kind, id }) => (kind === "person" ? hasPermission(group.id, id) : isWithin(id, group.id))),
  );
  return widest?.name;
}

/** Whether a group is another one, or is contained in it.
 * @param {number} id
 * @param {number} whole
 * @returns {boolean} */
function isWithin(id, whole) {
  return (
    id === whole ||
    Boolean(
      (state.realm_user_groups ?? [])
        .find((group) => group.id === whole)
        ?.direct_subgroup_ids.some((part) => isWithin(id, part)),
    )
  );
}

/** @param {Permission | undefined} value */
function isEmpty(value) {
  return value === undefined || roleOf(value) === "role:nobody";
}

/** @param {Permission} a
 * @param {Permission} b */
function isSame(a, b) {
  return JSON.stringify(a) === JSON.stringify(b);
}
