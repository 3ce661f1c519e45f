/** The profile card of a person, and the list of all people. */

import { copyToClipboard, withErrorToast } from "../views/message_actions.js";
import { get, post, remove } from "../core/api.js";
import { channelName, channels } from "../state/channels.js";
import { lastSeenAt, presenceOf } from "../state/presence.js";
import { mentionName } from "../state/typeahead_sources.js";
import { normalizeText } from "../state/name_match.js";
import { setChildren, h, icon } from "../core/html.js";
import { avatar, channelDot, presenceText, statusEmoji } from "../views/avatars.js";
import { isSpectator, state, myId } from "../state/session.js";
import { isMuted, people, getPerson, shortName } from "../state/people.js";
import { closedReason } from "../state/write_access.js";
import { channelHash, conversationHash, hashOf } from "../state/narrow.js";
import { dayKey, formatAgo, formatDate, formatTime } from "../views/time.js";
import { t, formatList } from "../core/i18n.js";
import { bindToAddress, openDialog } from "./dialog.js";
import { closePopover, openPopover } from "./popover.js";
import { profileFact } from "./profile_values.js";

const MAX_SHARED = 6; // channels in the card beside a name

/** @param {import("../views/commands.js").CommandContext} context */
export function showProfile({ element, message }) {
  const id = Number(element.dataset.person ?? element.dataset.userId ?? message?.sender_id);
  if (id)
    openPopover(
      element.matches("article") ? (element.querySelector("button.name") ?? element) : element,
      profileCard(id),
    );
}

/** @param {number} id
 * @param {{isWhole?: boolean}} [options] whether all that is known is shown */
function profileCard(id, { isWhole = false } = {}) {
  const person = getPerson(id);
  const { status_text: status, ends_at: end } = state.user_status?.[id] ?? {};
  const sign = statusEmoji(id);
  const there = localTime(person.timezone);
  const groups = (state.realm_user_groups ?? [])
    .filter((group) => !group.is_system_group && !group.deactivated && group.members.includes(id))
    .map((group) => group.name);
  const shared = h("dd", { class: "shared" });
  const facts = /** @type {[string, import("../core/html.js").Child][]} */ ([
    [t("card.email"), person.delivery_email ?? undefined],
    [t("card.joined"), person.date_joined && formatDate(Date.parse(person.date_joined) / 1000)],
    [t("groups.title"), formatList(groups)],
    ...customFacts(person),
  ]);
  if (id !== myId() && !isSpectator()) fillSharedChannels(id, shared, isWhole ? Infinity : MAX_SHARED);
  const role = person.is_bot ? t("people.bot") : t(`role.${person.role}`);
  const about = !person.is_active ? t("card.left") : person.is_bot ? role : `${role} · ${activityText(id)}`;
  return h(
    "div",
    { class: "card", role: "dialog", "aria-label": person.full_name },
    h(
      "div",
      { class: "up" },
      bigAvatar(person),
      h(
        "div",
        {},
        h("h2", {}, h("bdi", {}, person.full_name)),
        h("p", {}, about, there && person.is_active && [h("br"), t("card.local-time", { time: there })]),
      ),
    ),
    (sign || status) &&
      h(
        "p",
        { class: "status-line", dir: "auto" },
        sign,
        sign && " ",
        status,
        end && h("small", {}, t("card.status-until", { when: formatShortEnd(end) })),
      ),
    h(
      "dl",
      {},
      ...facts
        .filter(([, value]) => value)
        .flatMap(([name, value]) => [h("dt", {}, name), h("dd", { class: "cut" }, h("bdi", {}, value))]),
      shared,
    ),
    h("ul", { class: "menu" }, ...cardActions(person).map((action) => h("li", {}, action))),
    h(
      "div",
      { class: "go-row" },
      !closedReason({ people: [id] }) &&
        !isSpectator() &&
        h(
          "a",
          { class: "b go", href: conversationHash({ people: [id] }) },
          id === myId() ? t("talk.notes") : t("card.write-to", { name: shortName(id) }),
        ),
      !isWhole && h("a", { class: "b", href: id === myId() ? "#settings/profile" : `#user/${id}` }, t("head.profile")),
    ),
  );
}

/** The picture of a person, else the letters that the first and the last part of the name begin with.
 * @param {import("../state/people.js").Person} person */
function bigAvatar(person) {
  const shown = avatar(person.user_id, { extra: "big", presence: true });
  const parts = person.full_name.trim().split(/\s+/);
  if (parts.length > 1 && !shown.querySelector("img")) shown.append(Array.from(parts.at(-1) ?? "")[0].toUpperCase());
  return shown;
}

/** The rows of the card below the facts.
 * @param {import("../state/people.js").Person} person */
function cardActions(person) {
  const id = person.user_id;
  const said = h("a", { href: hashOf([{ operator: "sender", operand: id }]) }, icon("search"), t("card.said"));
  if (isSpectator()) return [said];
  const mention = h(
    "button",
    {
      type: "button",
      onclick: () => {
        closePopover();
        copyToClipboard(`@**${mentionName(person)}**`);
      },
    },
    icon("copy"),
    t("card.mention"),
  );
  if (id === myId()) return [said, mention];
  const messages = h(
    "a",
    { href: hashOf([{ operator: "dm-including", operand: id }]) },
    icon("chat"),
    t("card.messages"),
  );
  if (person.is_bot) return [messages, said, mention];
  const change = () =>
    withErrorToast(isMuted(id) ? remove(`/users/me/muted_users/${id}`) : post(`/users/me/muted_users/${id}`));
  return [
    messages,
    said,
    mention,
    h(
      "button",
      {
        type: "button",
        onclick: () => {
          closePopover();
          change();
        },
      },
      icon(isMuted(id) ? "bell" : "mute"),
      t(isMuted(id) ? "card.unmute" : "card.mute"),
    ),
  ];
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
 * @param {HTMLElement} list
 * @param {number} most */
async function fillSharedChannels(id, list, most) {
  const response = await get(`/users/${id}/channels`).catch(() => undefined);
  const shared = (response?.subscribed_channel_ids ?? []).filter(
    (/** @type {number} */ channel) => channels.get(channel)?.subscribed && !channels.get(channel)?.is_archived,
  );
  if (!shared.length || !list.isConnected) return list.remove();
  list.before(h("dt", { class: "shared" }, t("card.shared")));
  const links = shared
    .slice(0, most)
    .map((/** @type {number} */ channel) =>
      h("a", { href: channelHash(channel) }, channelDot(channel), h("bdi", {}, channelName(channel))),
    );
  return setChildren(
    list,
    ...links,
    shared.length > most && h("span", { class: "quiet" }, t("card.more", { count: shared.length - most })),
  );
}

/** @param {import("../state/people.js").Person} person
 * @returns {[string, import("../core/html.js").Child][]} */
function customFacts(person) {
  return (state.custom_profile_fields ?? []).map((field) => [
    field.name,
    profileFact(field, person.profile_data?.[field.id]?.value),
  ]);
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
  const field = h("input", {
    class: "f",
    type: "search",
    "aria-label": t("org.find-person"),
    placeholder: t("org.find-person"),
  });
  const draw = () => {
    const query = normalizeText(field.value);
    const found = [...people.values()]
      .filter((person) => person.is_active && !person.is_system_bot && normalizeText(person.full_name).includes(query))
      .sort((a, b) => a.full_name.localeCompare(b.full_name));
    setChildren(
      list,
      ...found.slice(0, 300).map((person) =>
        h(
          "li",
          {},
          avatar(person.user_id, { presence: true }),
          h(
            "button",
            {
              class: "b bare",
              type: "button",
              "data-person": person.user_id,
              onclick: (/** @type {Event} */ event) =>
                showProfile({ element: /** @type {HTMLElement} */ (event.currentTarget), event, message: undefined }),
            },
            h("bdi", {}, person.full_name),
          ),
          h("small", {}, state.user_status?.[person.user_id]?.status_text ?? ""),
          h("small", {}, person.is_bot ? t("people.bot") : presenceText(person.user_id)),
        ),
      ),
    );
  };
  field.addEventListener("input", draw);
  const dialog = openDialog(t("view.members"), [field, list]);
  if (location.hash.startsWith("#members")) bindToAddress(dialog);
  draw();
}

/** The dialog of the address `#user/ID`. @param {{rest?: string[]}} route */
export function showUser(route) {
  const id = Number(route.rest?.[0]);
  if (!people.has(id)) return void bindToAddress(openDialog(t("talk.failed"), [h("p", {}, t("channel.unknown-text"))]));
  const card = profileCard(id, { isWhole: true });
  card.removeAttribute("role"); // the dialog has the name as its title
  card.querySelector("h2")?.remove();
  bindToAddress(openDialog(getPerson(id).full_name, [card]));
}
