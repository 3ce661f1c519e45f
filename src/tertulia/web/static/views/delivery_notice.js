/** Notices about messages that were sent from one view to another, or whose view was left before the server
 * answered. */

import { h } from "../core/html.js";
import { t } from "../core/i18n.js";
import { currentRoute } from "../core/router.js";
import { pageScope } from "../core/scope.js";
import { fullTitle, keyOf } from "../state/conversations.js";
import { conversationHash } from "../state/narrow.js";
import { isInOutbox } from "../sync/outbox.js";
import { toast } from "./layout.js";

/** @typedef {import("../sync/outbox.js").PendingMessage} PendingMessage */

/** Say what became of a message, if the view does not show it: the server has it or has refused it, or it waits for
 * the connection. Of a message to the view itself only a refusal is said.
 * @param {PendingMessage} entry
 * @param {boolean} isForView whether it was written to the view */
export function reportDelivery(entry, isForView) {
  const sentFrom = currentRoute()?.hash;
  /** @type {PendingMessage["state"] | "sent"} */
  let reported = "sending";
  const scope = pageScope.child();
  scope.on("outbox", () => {
    const now = entry.id === null ? entry.state : "sent";
    if (now === "sent" || !isInOutbox(entry)) scope.close();
    if (now === reported) return;
    reported = now;
    const { conversation, hash } = currentRoute() ?? {};
    const isShown = (conversation && keyOf(conversation) === keyOf(entry.to)) || (isForView && hash === sentFrom);
    if (now === "sending" || isShown || (isForView && now !== "failed")) return;
    toast(
      t(`destination.${now}`, { where: fullTitle(entry.to), why: entry.why }),
      h("a", { class: "b bare", href: conversationHash(entry.to) }, t("destination.show")),
    );
  });
}
