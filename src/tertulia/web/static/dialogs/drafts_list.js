/** The list of drafts, the last changed first. */

import { fullTitle } from "../state/conversations.js";
import { allDrafts, discardDraft } from "../state/drafts.js";
import { h, iconButton } from "../core/html.js";
import { conversationHash } from "../state/narrow.js";
import { actionLink, emptyState } from "../views/layout.js";
import { formatFullTime } from "../views/time.js";
import { t } from "../core/i18n.js";
import { bindToAddress, openDialog } from "./dialog.js";

export function showDrafts() {
  const rows = allDrafts().map((draft) => {
    const item = h(
      "li",
      {},
      h("a", { href: conversationHash(draft.to) }, h("bdi", {}, fullTitle(draft.to))),
      h("p", { class: "cut", dir: "auto" }, draft.content),
      h("small", {}, formatFullTime(draft.at)),
      iconButton("trash", t("drafts.delete"), {
        onclick: () => {
          discardDraft(draft.to);
          item.remove();
        },
      }),
    );
    return item;
  });
  // shown while the list is empty
  const none = emptyState(t("drafts.none"), t("drafts.none-text"), actionLink("#recent", t("view.recent"), "clock"));
  bindToAddress(openDialog(t("view.drafts"), [h("ul", { class: "plain kept" }, ...rows), none]));
}
