/** Saved snippets: texts for repeated use. */

import { post, remove } from "../core/api.js";
import { currentComposeBox } from "../views/compose.js";
import { setChildren, h, iconButton } from "../core/html.js";
import { state } from "../state/session.js";
import { Scope } from "../core/scope.js";
import { oneAtATime } from "../core/signals.js";
import { toast } from "../views/layout.js";
import { t } from "../core/i18n.js";
import { openPopover } from "./popover.js";

/** @param {{element: HTMLElement}} context */
export function showSnippets({ element }) {
  const list = h("ul", { class: "plain kept" });
  const title = h("input", { class: "f", "aria-label": t("label.name"), placeholder: t("label.name"), maxlength: 60 });
  const draw = () => setChildren(list, ...(state.saved_snippets ?? []).map(snippetRow));
  const save = h(
    "button",
    {
      class: "b",
      type: "button",
      onclick: oneAtATime(async () => {
        const content = currentComposeBox()?.content.trim();
        if (!content) return toast(t("snippets.nothing"));
        await post("/saved_snippets", { title: title.value.trim() || content.slice(0, 40), content });
        title.value = "";
        return undefined;
      }),
    },
    t("snippets.save"),
  );
  const panel = h(
    "div",
    { class: "card snippets", role: "dialog", "aria-label": t("snippets.name") },
    h("h2", {}, t("snippets.name")),
    list,
    h("div", { class: "go-row" }, title, save),
  );
  draw();
  const scope = new Scope();
  scope.on("drafts", draw);
  const open = openPopover(element, panel, { closed: () => scope.close() });

  /** @param {{id: number, title: string, content: string}} snippet */
  function snippetRow(snippet) {
    const use = h(
      "button",
      {
        class: "b bare",
        type: "button",
        onclick: () => {
          open.close();
          currentComposeBox()?.insert(snippet.content);
        },
      },
      h("bdi", {}, snippet.title),
    );
    const drop = iconButton("trash", t("snippets.delete", { title: snippet.title }), {
      onclick: () =>
        remove(`/saved_snippets/${snippet.id}`).then(
          () => item.remove(),
          (error) => toast(error.message),
        ),
    });
    const item = h("li", {}, use, h("small", { class: "cut", dir: "auto" }, snippet.content), drop);
    return item;
  }
}
