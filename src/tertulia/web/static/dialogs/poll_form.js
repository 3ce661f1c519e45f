/** The form that makes a poll or a to-do list, in place of its syntax. */

import { currentComposeBox } from "../views/compose.js";
import { toast } from "../views/layout.js";
import { post } from "../core/api.js";
import { h, iconButton } from "../core/html.js";
import { oneAtATime } from "../core/signals.js";
import { t } from "../core/i18n.js";
import { isInChannel } from "../state/conversations.js";
import { openDialog } from "./dialog.js";

const MAX_LENGTH = 200;

/** A poll; the menu of the form turns it into a to-do list. */
export function pollForm() {
  const box = currentComposeBox();
  if (!box) return;
  const to = box.conversation;
  const kind = h("select", { class: "f", "aria-label": t("pollform.kind") }, h("option", { value: "poll" }, t("pollform.poll")), h("option", { value: "todo" }, t("pollform.todo")));
  const question = h("input", { class: "f", "aria-label": t("pollform.question"), placeholder: t("pollform.question"), maxlength: MAX_LENGTH, dir: "auto", autofocus: true, required: true });
  const options = h("ul", { class: "plain poll-options" });
  options.addEventListener("input", () => addEmptyOption(options));
  options.addEventListener("keydown", moveOption);
  addEmptyOption(options);
  const send = async () => {
    const texts = [...options.querySelectorAll("input")].map((input) => input.value.trim()).filter(Boolean);
    const where = isInChannel(to) ? { type: "channel", to: to.channel, topic: box.topic?.value.trim() ?? to.topic } : { type: "direct", to: to.people };
    try {
      await post("/messages", { ...where, content: [`/${kind.value} ${question.value.trim()}`, ...texts].join("\n") });
      dialog.close();
    } catch (error) {
      toast(/** @type {Error} */ (error).message);
    }
  };
  const form = h("form", { id: "poll-form", class: "fields", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); run(); } },
    h("label", { class: "field" }, t("pollform.kind"), kind), h("label", { class: "field" }, t("pollform.question"), question), h("div", { class: "field" }, t("pollform.options"), options));
  const run = oneAtATime(send);
  const dialog = openDialog(t("pollform.title"), [form], { footer: [h("button", { class: "b", type: "button", "data-close": true }, t("dialog.cancel")), h("button", { class: "b go", form: "poll-form" }, t("compose.send"))] });
}

/** There is always one empty option at the end.
 * @param {HTMLElement} options */
function addEmptyOption(options) {
  const inputs = [...options.querySelectorAll("input")];
  if (inputs.length && !inputs.at(-1)?.value) return;
  const item = h("li", { class: "set" }, h("input", { class: "f", "aria-label": t("pollform.option", { count: inputs.length + 1 }), placeholder: t("pollform.add"), maxlength: MAX_LENGTH, dir: "auto" }),
    iconButton("close", t("pollform.remove"), { onclick: () => { item.remove(); addEmptyOption(options); } }));
  options.append(item);
}

/** Alt with an arrow moves an option.
 * @param {KeyboardEvent} event */
function moveOption(event) {
  const input = /** @type {HTMLElement} */ (event.target);
  const item = input.closest("li");
  const other = event.key === "ArrowUp" ? item?.previousElementSibling : event.key === "ArrowDown" ? item?.nextElementSibling : null;
  if (!event.altKey || !item || !other) return;
  event.preventDefault();
  if (event.key === "ArrowUp") other.before(item);
  else other.after(item);
  input.focus();
}
