/** Desktop notifications while the page does not have the focus. The page asks for the permission in the
 * settings only. */

import { plainText } from "./rendered_content.js";
import { conversationOf, fullTitle, isInChannel, keyOf } from "../state/conversations.js";
import { channels } from "../state/channels.js";
import { desktopBridge } from "../sync/desktop_bridge.js";
import { isLeaderTab } from "../sync/event_poller.js";
import { isSpectator, myId, setting } from "../state/session.js";
import { conversationHash } from "../state/narrow.js";
import { getPerson, isMuted, nameOf } from "../state/people.js";
import { pageScope } from "../core/scope.js";
import { isFollowed, isTopicMuted } from "../state/topics.js";
import { t } from "../core/i18n.js";

export function startNotifications() {
  if (isSpectator()) return;
  pageScope.on("messageArrived", (message) => {
    if (!wantsNotification(message) || (document.hasFocus() && !document.hidden) || !isLeaderTab()) return;
    showNotification(message);
  });
}

/** Whether the person wants a notification of a message.
 * @param {import("../state/messages.js").Message} message */
export function wantsNotification(message) {
  if (message.sender_id === myId() || message.flags.includes("read") || isMuted(message.sender_id)) return false;
  if (isQuiet(new Date())) return false;
  const wantsPersonal = setting("enable_desktop_notifications");
  if (message.flags.includes("mentioned")) return wantsPersonal;
  const conversation = conversationOf(message);
  if (!isInChannel(conversation)) return wantsPersonal;
  const isWildcard = message.flags.some((flag) => flag.includes("wildcard_mentioned"));
  if (isWildcard && setting("wildcard_mentions_notify")) return wantsPersonal;
  if (isFollowed(conversation.channel, conversation.topic))
    return setting("enable_followed_topic_desktop_notifications");
  if (isTopicMuted(conversation.channel, conversation.topic)) return false;
  return channels.get(conversation.channel)?.desktop_notifications ?? setting("enable_stream_desktop_notifications");
}

/** Whether it is one of the person's quiet hours.
 * @param {Date} now */
export function isQuiet(now) {
  const [from, until] = String(setting("quiet_hours") ?? "").split("-");
  if (!until) return false;
  const timeZone = getPerson(myId()).timezone || "UTC";
  const clock = now.toLocaleTimeString("en-GB", { timeZone, hour: "2-digit", minute: "2-digit" });
  return from < until ? from <= clock && clock < until : from <= clock || clock < until;
}

/** @param {import("../state/messages.js").Message} message */
function showNotification(message) {
  const conversation = conversationOf(message);
  const isPrivate = !isInChannel(conversation) && setting("pm_content_in_desktop_notifications") === false;
  const title = isInChannel(conversation)
    ? `${nameOf(message.sender_id)} (${fullTitle(conversation)})`
    : nameOf(message.sender_id);
  const body = isPrivate ? t("notify.hidden") : plainText(message.content).slice(0, 300);
  const go = () => {
    window.focus();
    location.hash = conversationHash(conversation, message.id);
  };
  const options = {
    body,
    tag: keyOf(conversation),
    icon: "/static/icon.png",
    silent: setting("enable_sounds") === false,
  };
  const bridge = desktopBridge();
  if (bridge?.new_notification) {
    bridge.new_notification(title, options, (kind) => {
      if (kind === "click") go();
    });
  } else if ("Notification" in window && Notification.permission === "granted") {
    new Notification(title, options).onclick = go;
  }
}
