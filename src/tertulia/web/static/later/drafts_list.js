/** All drafts, the one changed last first. */

import { fullTitle } from "../app/conversations.js";
import { allDrafts, discardDraft } from "../app/drafts.js";
import { h, iconButton } from "../app/html.js";
import { conversationHash } from "../app/narrow.js";
import { fullTime } from "../app/time.js";
import { say } from "../app/words.js";
import { boundToAddress, openDialog } from "./dialog.js";

export function showDrafts() {
  const rows = allDrafts().map((draft) => {
    const item = h("li", {}, h("a", { href: conversationHash(draft.to) }, h("bdi", {}, fullTitle(draft.to))), h("p", { class: "cut", dir: "auto" }, draft.content),
      h("small", {}, fullTime(draft.at)), iconButton("trash", say("drafts.delete"), { onclick: () => { discardDraft(draft.to); item.remove(); } }));
    return item;
  });
  const body = rows.length ? h("ul", { class: "plain kept" }, ...rows) : h("p", { class: "quiet" }, say("drafts.none"));
  boundToAddress(openDialog(say("drafts.title"), [body]));
}
