/** Saved snippets: texts that one writes again and again. */

import { post, remove } from "../core/api.js";
import { openBox } from "../views/compose.js";
import { fill, h, iconButton } from "../core/html.js";
import { known } from "../state/session.js";
import { on, oneAtATime } from "../core/signals.js";
import { toast } from "../views/layout.js";
import { say } from "../core/i18n.js";
import { openPanel } from "./popover.js";

/** @param {{element: HTMLElement}} occasion */
export function showSnippets({ element }) {
  const list = h("ul", { class: "plain kept" });
  const title = h("input", { class: "f", "aria-label": say("snippets.title"), placeholder: say("snippets.title"), maxlength: 60 });
  const draw = () => fill(list, ...(known.saved_snippets ?? []).map(snippetRow));
  const save = h("button", { class: "b", type: "button", onclick: oneAtATime(async () => {
    const content = openBox()?.box.value.trim();
    if (!content) return toast(say("snippets.nothing"));
    await post("/saved_snippets", { title: title.value.trim() || content.slice(0, 40), content });
    title.value = "";
    return undefined;
  }) }, say("snippets.save"));
  const panel = h("div", { class: "card snippets", role: "dialog", "aria-label": say("snippets.name") }, h("h2", {}, say("snippets.name")), list, h("div", { class: "go-row" }, title, save));
  draw();
  const stop = on("drafts", draw);
  const open = openPanel(element, panel, { closed: stop });

  /** @param {{id: number, title: string, content: string}} snippet */
  function snippetRow(snippet) {
    const use = h("button", { class: "b bare", type: "button", onclick: () => { open.close(); openBox()?.insert(snippet.content); } }, h("bdi", {}, snippet.title));
    const drop = iconButton("trash", say("snippets.delete", { title: snippet.title }), { onclick: () => remove(`/saved_snippets/${snippet.id}`).then(() => item.remove(), (error) => toast(error.message)) });
    const item = h("li", {}, use, h("small", { class: "cut", dir: "auto" }, snippet.content), drop);
    return item;
  }
}
