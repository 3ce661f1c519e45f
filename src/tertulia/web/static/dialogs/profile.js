/** The profile card of a person, and the list of all people. */

import { withErrorToast } from "../views/message_actions.js";
import { get, post, remove } from "../core/api.js";
import { channelName, channels } from "../state/channels.js";
import { lastSeenAt, presenceOf } from "../state/presence.js";
import { normalizeText } from "../state/typeahead_sources.js";
import { setChildren, h } from "../core/html.js";
import { avatar, channelDot, presenceText, statusEmoji } from "../views/avatars.js";
import { isSpectator, state, myId } from "../state/session.js";
import { isMuted, people, getPerson } from "../state/people.js";
import { channelHash, conversationHash, hashOf } from "../state/narrow.js";
import { dayKey, formatAgo, formatDate, formatTime } from "../views/time.js";
import { t, formatList } from "../core/i18n.js";
import { bindToAddress, openDialog } from "./dialog.js";
import { openPopover } from "./popover.js";
import { profileFact } from "./profile_values.js";

const MAX_SHARED = 6; // channels in the card

/** @param {import("../views/commands.js").CommandContext} context */
export function showProfile({ element, message }) {
  const id = Number(element.dataset.person ?? element.dataset.userId ?? message?.sender_id);
  if (id) openPopover(element.matches("article") ? (element.querySelector("button.name") ?? element) : element, profileCard(id));
}

/** @param {number} id */
function profileCard(id) {
  const person = getPerson(id);
  const { status_text: status, ends_at: end } = state.user_status?.[id] ?? {};
  const sign = statusEmoji(id);
  const zone = localTime(person.timezone);
  const groups = (state.realm_user_groups ?? []).filter((group) => !group.is_system_group && !group.deactivated && group.members.includes(id)).map((group) => group.name);
  const shared = h("dd", { class: "shared" });
  const facts = /** @type {[string, import("../core/html.js").Child][]} */ ([
    [t("card.email"), person.delivery_email ?? undefined], [t("card.time"), zone], [t("people.role"), person.is_bot ? t("people.bot") : t(`role.${person.role}`)],
    [t("card.joined"), person.date_joined && formatDate(Date.parse(person.date_joined) / 1000)], [t("groups.title"), formatList(groups)], ...customFacts(person)]);
  if (id !== myId() && !isSpectator()) fillSharedChannels(id, shared);
  const mute = h("button", { class: "b bare", type: "button", onclick: () => withErrorToast(isMuted(id) ? remove(`/users/me/muted_users/${id}`) : post(`/users/me/muted_users/${id}`)) }, t(isMuted(id) ? "card.unmute" : "card.mute"));
  return h("div", { class: "card", role: "dialog", "aria-label": person.full_name },
    h("div", { class: "up" }, avatar(id, { extra: "big" }), h("div", {}, h("h2", {}, h("bdi", {}, person.full_name)), h("p", {}, person.is_active ? (person.is_bot ? t("people.bot") : activityText(id)) : t("card.left")))),
    (sign || status) && h("p", { class: "status-line", dir: "auto" }, sign, sign && " ", status, end && h("small", {}, t("card.status-until", { when: formatShortEnd(end) }))),
    h("dl", {}, ...facts.filter(([, value]) => value).flatMap(([name, value]) => [h("dt", {}, name), h("dd", { class: "cut" }, h("bdi", {}, value))]), shared),
    h("div", { class: "go-row" }, h("a", { class: "b go", href: conversationHash({ people: [id] }) }, t("card.write")), h("a", { class: "b", href: hashOf([{ operator: "sender", operand: id }]) }, t("card.said"))),
    id !== myId() && !person.is_bot && h("div", { class: "go-row" }, mute));
}

/** The end of a status: a time today, else with the day.
 * @param {number} end */
function formatShortEnd(end) {
  return dayKey(end) === dayKey(Date.now() / 1000) ? formatTime(end) : `${formatDate(end)} ${formatTime(end)}`;
}

/** The presence, or how long ago the person was active.
 * @param {number} id */
function activityText(id) {
  const seen = lastSeenAt(id);
  if (presenceOf(id) !== "gone" || !seen) return presenceText(id);
  return t("card.active-ago", { when: formatAgo(seen) });
}

/** Add the channels that both are subscribed to.
 * @param {number} id
 * @param {HTMLElement} list */
async function fillSharedChannels(id, list) {
  const response = await get(`/users/${id}/channels`).catch(() => undefined);
  const shared = (response?.subscribed_channel_ids ?? []).filter((/** @type {number} */ channel) => channels.get(channel)?.subscribed && !channels.get(channel)?.is_archived);
  if (!shared.length || !list.isConnected) return list.remove();
  list.before(h("dt", {}, t("card.shared")));
  const links = shared.slice(0, MAX_SHARED).map((/** @type {number} */ channel) => h("a", { href: channelHash(channel) }, channelDot(channel), h("bdi", {}, channelName(channel))));
  return setChildren(list, ...links, shared.length > MAX_SHARED && h("span", { class: "quiet" }, t("card.more", { count: shared.length - MAX_SHARED })));
}

/** @param {import("../state/people.js").Person} person
 * @returns {[string, import("../core/html.js").Child][]} */
function customFacts(person) {
  return (state.custom_profile_fields ?? []).map((field) => [field.name, profileFact(field, person.profile_data?.[field.id]?.value)]);
}

/** @param {string} zone */
function localTime(zone) {
  try {
    return zone ? formatTime(Date.now() / 1000, zone) : undefined;
  } catch {
    return undefined;
  }
}

/** The list of all people. */
export function showMembers() {
  const list = h("ul", { class: "plain kept" });
  const field = h("input", { class: "f", type: "search", "aria-label": t("org.find-person"), placeholder: t("org.find-person") });
  const draw = () => {
    const query = normalizeText(field.value);
    const found = [...people.values()].filter((person) => person.is_active && !person.is_system_bot && normalizeText(person.full_name).includes(query)).sort((a, b) => a.full_name.localeCompare(b.full_name));
    setChildren(list, ...found.slice(0, 300).map((person) => h("li", {}, avatar(person.user_id, { presence: true }), h("button", { class: "b bare", type: "button", "data-person": person.user_id, onclick: (/** @type {Event} */ event) => showProfile({ element: /** @type {HTMLElement} */ (event.currentTarget), event, message: undefined }) }, h("bdi", {}, person.full_name)),
      h("small", {}, state.user_status?.[person.user_id]?.status_text ?? ""), h("small", {}, person.is_bot ? t("people.bot") : presenceText(person.user_id)))));
  };
  field.addEventListener("input", draw);
  const dialog = openDialog(t("view.members"), [field, list]);
  if (location.hash.startsWith("#members")) bindToAddress(dialog);
  draw();
}

/** The dialog of the address `#user/ID`. @param {{rest?: string[]}} route */
export function showUser(route) {
  const id = Number(route.rest?.[0]);
  const card = profileCard(id);
  card.removeAttribute("role"); // the dialog has the name as its title
  card.querySelector("h2")?.remove();
  bindToAddress(openDialog(getPerson(id).full_name, [card]));
}
