/** Going about: the commands that move through messages and from view to view. */

import { attempt } from "./message_actions.js";
import { command } from "./commands.js";
import { openBox } from "./compose.js";
import { conversationOf, isInChannel } from "../state/conversations.js";
import { searchInput } from "./search.js";
import { homeHash } from "../state/routes.js";
import { channelHash, conversationHash, searchText } from "../state/narrow.js";
import { post } from "../core/api.js";
import { markRead, markUnreadFrom } from "./reading.js";
import { toggleFold, uncover } from "./message_row.js";
import { setting } from "../state/session.js";
import { tell } from "../core/signals.js";
import { closeSheet, openSheet, toggleAllChannels, toggleAllDirects } from "./sidebar.js";
import { part, toast } from "./layout.js";
import { focusView, shownPlace } from "../core/router.js";
import { openTalk } from "./message_view.js";
import { isFollowed, isTopicMuted } from "../state/topics.js";
import { allWaiting, noteAllRead } from "../state/unread.js";
import { goWrite } from "./compose_commands.js";
import { say } from "../core/i18n.js";

export function learnToMove() {
  const goes = { inbox: "#inbox", recent: "#recent", feed: "#feed", starred: "#narrow/is/starred", drafts: "#drafts", "all-directs-view": "#narrow/is/dm" };
  for (const [name, hash] of Object.entries(goes)) command(name, () => (location.hash = hash));

  command("next-message", () => step(1));
  command("previous-message", () => step(-1));
  command("page-down", () => page(1));
  command("page-up", () => page(-1));
  command("last-message", () => openTalk()?.jumpToEnd());
  command("first-message", () => openTalk()?.jumpToStart());
  command("to-end", () => openTalk()?.jumpToEnd());
  command("next-unread", () => nextWaiting(() => true));
  command("next-unread-direct", () => nextWaiting((conversation) => !isInChannel(conversation)));
  command("next-unread-followed", () => nextWaiting((conversation) => isInChannel(conversation) && isFollowed(conversation.channel, conversation.topic)));

  command("to-conversation", ({ message }) => message && (location.hash = conversationHash(conversationOf(message))));
  command("to-near", ({ message }) => message && (location.hash = conversationHash(conversationOf(message), message.id)));
  command("to-channel", ({ message }) => message?.type === "stream" && (location.hash = channelHash(message.stream_id)));
  command("channel-feed", ({ element }) => (location.hash = channelHash(Number(element.dataset.channel))));

  command("search", () => search(""));
  command("search-here", () => search(`${searchText(shownPlace()?.terms ?? [])} `.trimStart()));
  command("focus-sidebar", () => { openSheet(); });
  command("open-sidebar", () => openSheet());
  command("close-sidebar", () => closeSheet());
  command("all-directs", () => toggleAllDirects());
  command("all-channels", ({ element }) => toggleAllChannels(element.dataset.group ?? ""));
  command("back", () => (history.length > 1 ? history.back() : (location.hash = homeHash())));
  command("skip", () => focusView());
  command("escape", ({ element }) => escape(element));

  command("compose", () => openBox()?.box.focus());
  command("new-topic", () => (openBox()?.topic ?? openBox()?.box)?.focus());
  command("reply", ({ message }) => replyTo(message));
  command("uncover", ({ message }) => { if (message) { uncover(message.id); tell("message", message.id); } });
  command("collapse", ({ message }) => { if (message) { toggleFold(message.id); tell("message", message.id); } });
  command("narrow-to-compose", () => { const box = openBox(); if (box) location.hash = conversationHash(box.conversation); });
  command("mark-all-read", async () => {
    if (await attempt(post("/mark_all_as_read"))) noteAllRead();
  });
  command("unread-from-here", async ({ message }) => {
    const talk = openTalk();
    if (!message || !talk) return;
    talk.reader.isOn = false; // what was just made unread must not be read at once because it is in view
    await markUnreadFrom(message.id, talk.narrow());
    toast(say("talk.marked-unread"));
  });
  command("mark-read", () => markRead(openTalk()?.listing.ids ?? []));
  command("copy-code", async ({ element }) => {
    await navigator.clipboard.writeText(element.closest(".codehilite")?.querySelector("code")?.textContent ?? "");
    toast(say("content.copied"));
  });
}

/** @param {number} by */
function step(by) {
  const talk = openTalk();
  if (talk) return talk.move(by);
  const items = /** @type {HTMLElement[]} */ ([...part(".main > .scroll").querySelectorAll("a.item")]);
  const at = items.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  items[Math.max(0, Math.min(items.length - 1, at + by))]?.focus();
  return true;
}

/** @param {number} by */
function page(by) {
  const body = part(".main > .scroll");
  body.scrollBy({ top: by * (body.clientHeight - 80) });
  const talk = openTalk();
  if (talk?.chosen) requestAnimationFrame(() => talk.go(talk.lastInView()));
}

/** Go to the next conversation in which something waits.
 * @param {(conversation: import("../state/conversations.js").Conversation) => boolean} isWanted */
function nextWaiting(isWanted) {
  const here = shownPlace()?.hash;
  const waiting = allWaiting().filter(({ conversation }) => isWanted(conversation)
    && !(isInChannel(conversation) && isTopicMuted(conversation.channel, conversation.topic)));
  const hashes = waiting.map(({ conversation }) => conversationHash(conversation));
  const next = hashes[(hashes.indexOf(here ?? "") + 1) % hashes.length];
  if (next && next !== here) location.hash = next;
  else toast(say("inbox.empty"));
}

/** @param {string} text */
function search(text) {
  let field = searchInput();
  if (!field) {
    location.hash = "#search";
    return;
  }
  field.value = text || field.value;
  field.focus();
  if (text) field.dispatchEvent(new Event("input"));
  else field.select();
}

/** @param {HTMLElement} element */
function escape(element) {
  if (element.matches("textarea, input")) {
    element.blur();
    return focusView();
  }
  if (document.querySelector(".side.open")) return closeSheet();
  if (setting("web_escape_navigates_to_home_view") !== false) location.hash = homeHash();
  return undefined;
}

/** @param {import("../state/messages.js").Message | undefined} message */
function replyTo(message) {
  const box = openBox();
  if (box && (shownPlace()?.conversation || !message)) return box.box.focus();
  if (!message) return undefined;
  return goWrite(conversationHash(conversationOf(message), message.id), "");
}
