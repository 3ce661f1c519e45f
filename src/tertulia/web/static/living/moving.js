/** Going about: the commands that move through messages and from view to view. */

import { attempt } from "./acting.js";
import { command } from "../app/commands.js";
import { openBox } from "../app/compose.js";
import { conversationOf, isInChannel } from "../app/conversations.js";
import { searchInput } from "./search.js";
import { homeHash } from "../app/places.js";
import { channelHash, conversationHash, searchText } from "../app/narrow.js";
import { post } from "../app/api.js";
import { markRead, markUnreadFrom } from "../app/reading.js";
import { toggleFold, uncover } from "../app/row.js";
import { setting } from "../app/me.js";
import { tell } from "../app/signals.js";
import { closeSheet, openSheet, toggleAllChannels, toggleAllDirects } from "./sidebar.js";
import { part, toast } from "../app/stage.js";
import { focusView, shownPlace } from "../app/router.js";
import { openTalk } from "../app/talk.js";
import { isFollowed, isTopicMuted } from "../app/topics.js";
import { allWaiting, noteAllRead } from "../app/unread.js";
import { goWrite } from "../app/writing.js";
import { say } from "../app/words.js";

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
 * @param {(conversation: import("../app/conversations.js").Conversation) => boolean} isWanted */
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

/** @param {import("../app/messages.js").Message | undefined} message */
function replyTo(message) {
  const box = openBox();
  if (box && (shownPlace()?.conversation || !message)) return box.box.focus();
  if (!message) return undefined;
  return goWrite(conversationHash(conversationOf(message), message.id), "");
}
