/** The interface to the desktop app, `window.electron_bridge`: unread counts, notifications, commands. */

import { logOut } from "../core/account_data.js";
import { get, post } from "../core/api.js";
import { findMessage, storeMessage } from "../state/messages.js";
import { realm } from "../state/session.js";
import { conversationOf, isInChannel } from "../state/conversations.js";
import { on } from "../core/signals.js";
import { unreadBadgeCount } from "../state/unread.js";
import { desktopBridge } from "./desktop_bridge.js";

export function startDesktop() {
  const bridge = desktopBridge();
  if (!bridge) return;
  bridge.on_event?.("logout", () => logOut());
  bridge.on_event?.("show-keyboard-shortcuts", () => (location.hash = "#keyboard-shortcuts"));
  bridge.on_event?.("show-notification-settings", () => (location.hash = "#settings/notifications"));
  bridge.on_event?.("send_notification_reply_message", async (id, content) => {
    bridge.send_event?.("send_notification_reply_message", await reply(id, content));
  });
  bridge.set_send_notification_reply_message_supported?.(true);
  const sendState = () => {
    bridge.send_event?.("total_unread_count", unreadBadgeCount());
    bridge.send_event?.("realm_name", realm("name"));
    bridge.send_event?.("realm_icon_url", new URL(realm("icon_url") ?? "", location.origin).href);
  };
  on(["unread", "realm", "settings"], sendState);
  sendState();
}

/** @param {number} id
 * @param {string} content */
async function reply(id, content) {
  try {
    const message =
      findMessage(id) ?? storeMessage((await get(`/messages/${id}`, { allow_empty_topic_name: true })).message);
    const conversation = conversationOf(message);
    const to = isInChannel(conversation)
      ? { type: "channel", to: conversation.channel, topic: conversation.topic }
      : { type: "direct", to: conversation.people };
    await post("/messages", { ...to, content });
    return { status: "success", message_id: id };
  } catch (error) {
    return { status: "error", message_id: id, error: /** @type {Error} */ (error).message };
  }
}
