/** Commands that move between messages and between views. */

import { offerUndo, withErrorToast } from "./message_actions.js";
import { command } from "./commands.js";
import { currentComposeBox } from "./compose.js";
import { conversationOf, isInChannel } from "../state/conversations.js";
import { homeHash } from "../state/routes.js";
import { channelHash, conversationHash, encodeHash, searchText } from "../state/narrow.js";
import { logOut } from "../core/account_data.js";
import { patch, post } from "../core/api.js";
import { markRead, markUnread, markUnreadFrom } from "../sync/read_flags.js";
import { toggleCollapsed, revealMuted } from "./message_row.js";
import { setting } from "../state/session.js";
import { emit } from "../core/signals.js";
import { closeSidebar, focusFilter, openSidebar, toggleAllChannels, toggleAllDirects } from "./sidebar.js";
import { region, toast } from "./layout.js";
import { focusView, currentRoute, goTo } from "../core/router.js";
import { currentMessageView } from "./message_view.js";
import { isFollowed, isTopicMuted } from "../state/topics.js";
import { allUnread, clearUnread } from "../state/unread.js";
import { composeAt } from "./compose_commands.js";
import { filterInbox, toggleCatchUp } from "./inbox.js";
import { t } from "../core/i18n.js";

export function registerNavigationCommands() {
  const addresses = {
    inbox: "#inbox",
    recent: "#recent",
    feed: "#feed",
    starred: "#narrow/is/starred",
    drafts: "#drafts",
    "all-directs-view": "#narrow/is/dm",
  };
  for (const [name, hash] of Object.entries(addresses)) command(name, () => (location.hash = hash));

  command("next-message", () => moveBy(1));
  command("previous-message", () => moveBy(-1));
  command("page-down", () => scrollPage(1));
  command("page-up", () => scrollPage(-1));
  command("last-message", () => currentMessageView()?.jumpToEnd());
  command("first-message", () => currentMessageView()?.jumpToStart());
  command("to-end", () => currentMessageView()?.jumpToEnd());
  command("next-unread", () => goToNextUnread(() => true));
  command("next-unread-direct", () => goToNextUnread((conversation) => !isInChannel(conversation)));
  command("next-unread-followed", () =>
    goToNextUnread((conversation) => isInChannel(conversation) && isFollowed(conversation.channel, conversation.topic)),
  );

  command("to-conversation", ({ message }) => message && (location.hash = conversationHash(conversationOf(message))));
  command(
    "to-near",
    ({ message }) => message && (location.hash = conversationHash(conversationOf(message), message.id)),
  );
  command(
    "to-channel",
    ({ message }) => message?.type === "stream" && (location.hash = channelHash(message.stream_id)),
  );
  command("channel-feed", ({ element }) => (location.hash = channelHash(Number(element.dataset.channel))));

  command("search", () => focusSearch(""));
  command("search-here", () => focusSearch(`${searchText(currentRoute()?.terms ?? [])} `.trimStart()));
  command("focus-sidebar", () => focusFilter());
  command("open-sidebar", () => openSidebar());
  command("close-sidebar", () => closeSidebar());
  command("all-directs", () => toggleAllDirects());
  command("all-channels", ({ element }) => toggleAllChannels(element.dataset.group ?? ""));
  command("back", () => (history.length > 1 ? history.back() : (location.hash = homeHash())));
  command("skip", () => focusView());
  command("escape", ({ element }) => handleEscape(element));

  command("compose", composeHere);
  command("new-topic-in", ({ element }) => startTopic(Number(element.dataset.channel)));
  command("new-topic", () => {
    const box = currentComposeBox();
    if (box) (box.topic ?? box.box).focus();
    else openClosedBox();
  });
  command("reply", ({ message }) => replyTo(message));
  command("uncover", ({ message }) => {
    if (message) {
      revealMuted(message.id);
      emit("messageChanged", message.id);
    }
  });
  command("collapse", ({ message }) => {
    if (message) {
      toggleCollapsed(message.id);
      emit("messageChanged", message.id);
    }
  });
  command("narrow-to-compose", () => {
    const box = currentComposeBox();
    if (box) location.hash = conversationHash(box.conversation);
  });
  command("catch-up", toggleCatchUp);
  command("inbox-filter", ({ element }) => filterInbox(element));
  command("mark-all-read", async () => {
    const ids = allUnread().flatMap((entry) => [...entry.ids]);
    if (!(await withErrorToast(post("/mark_all_as_read")))) return;
    clearUnread();
    offerUndo("check", t("undo.read", { count: ids.length }), () => markUnread(ids));
  });
  command("unread-from-here", async ({ message }) => {
    const view = currentMessageView();
    if (!message || !view) return;
    view.reader.isOn = false; // else the messages in view would be marked as read again
    await markUnreadFrom(message.id, view.narrow());
    toast(t("talk.marked-unread"));
  });
  command("mark-read", () => markRead(currentMessageView()?.messages.ids ?? []));
  for (const [name, scheme] of Object.entries({ "theme-system": 1, "theme-dark": 2, "theme-light": 3 }))
    command(name, () => withErrorToast(patch("/settings", { color_scheme: scheme })));
  command("log-out", logOut);
  command("copy-code", async ({ element }) => {
    await navigator.clipboard.writeText(element.closest(".codehilite")?.querySelector("code")?.textContent ?? "");
    toast(t("content.copied"));
  });
}

/** @param {number} by */
function moveBy(by) {
  const view = currentMessageView();
  if (view) return view.moveFocus(by);
  const items = /** @type {HTMLElement[]} */ ([
    ...region(".main > .scroll").querySelectorAll("a.item, a.said, .post h2 a"),
  ]);
  const at = items.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  items[Math.max(0, Math.min(items.length - 1, at + by))]?.focus();
  return true;
}

/** @param {number} by */
function scrollPage(by) {
  const body = region(".main > .scroll");
  body.scrollBy({ top: by * (body.clientHeight - 80) });
  const view = currentMessageView();
  if (view?.focusedId) requestAnimationFrame(() => view.focusMessage(view.lastInView()));
}

/** Go to the next unread conversation.
 * @param {(conversation: import("../state/conversations.js").Conversation) => boolean} isWanted */
function goToNextUnread(isWanted) {
  const here = currentRoute()?.hash;
  const unread = allUnread().filter(
    ({ conversation }) =>
      isWanted(conversation) && !(isInChannel(conversation) && isTopicMuted(conversation.channel, conversation.topic)),
  );
  const hashes = unread.map(({ conversation }) => conversationHash(conversation));
  const next = hashes[(hashes.indexOf(here ?? "") + 1) % hashes.length];
  if (next && next !== here) location.hash = next;
  else toast(t("inbox.empty"));
}

/** @param {string} text */
function focusSearch(text) {
  const field = /** @type {HTMLInputElement | null} */ (document.querySelector('.head input[type="search"]'));
  if (!field) {
    location.hash = text ? `#search/${encodeHash(text)}` : "#search";
    return;
  }
  field.value = text || field.value;
  field.focus();
  if (text) field.dispatchEvent(new Event("input"));
  else field.select();
}

/** Go to a channel and focus the field of the topic.
 * @param {number} channel */
export function startTopic(channel) {
  goTo(channelHash(channel), () =>
    requestAnimationFrame(() => (currentComposeBox()?.topic ?? currentComposeBox()?.box)?.focus()),
  );
}

/** Write: in a topic start another one, for R answers in it; elsewhere in the open box. */
function composeHere() {
  const conversation = currentRoute()?.conversation;
  if (conversation && isInChannel(conversation)) startTopic(conversation.channel);
  else if (currentComposeBox()) currentComposeBox()?.box.focus();
  else openClosedBox();
}

/** Press the button that a view has in place of a compose box. */
function openClosedBox() {
  /** @type {HTMLElement | null} */ (region(".main > .scroll").querySelector("button.box.closed"))?.click();
}

/** @param {HTMLElement} element */
function handleEscape(element) {
  if (element.matches("textarea, input")) {
    element.blur();
    return focusView();
  }
  if (document.querySelector(".side.open")) return closeSidebar();
  if (setting("web_escape_navigates_to_home_view") !== false) location.hash = homeHash();
  return undefined;
}

/** @param {import("../state/messages.js").Message | undefined} message */
function replyTo(message) {
  const box = currentComposeBox();
  if (box && (currentRoute()?.conversation || !message)) return box.box.focus();
  if (!message) return undefined;
  return composeAt(conversationHash(conversationOf(message), message.id), "");
}
