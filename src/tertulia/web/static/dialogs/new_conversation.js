/** Dialogs that start a direct conversation or a topic. */

import { findPeople } from "../state/typeahead_sources.js";
import { directWith } from "../state/conversations.js";
import { setChildren, h, iconButton } from "../core/html.js";
import { avatar } from "../views/avatars.js";
import { conversationHash } from "../state/narrow.js";
import { nameOf } from "../state/people.js";
import { t } from "../core/i18n.js";
import { ChoiceField } from "../views/choice_field.js";
import { openDialog } from "./dialog.js";
import { channelChoices } from "./forms.js";

export function newDirect() {
  /** @type {number[]} */
  const chosen = [];
  const field = h("input", {
    class: "f",
    "aria-label": t("new.people"),
    placeholder: t("new.people"),
    autocomplete: "off",
    autofocus: true,
    role: "combobox",
    "aria-expanded": "true",
    "aria-controls": "found-people",
  });
  const list = h("ul", {
    class: "plain offer still",
    id: "found-people",
    role: "listbox",
    "aria-label": t("new.people"),
  });
  const chips = h("div", { class: "set" });
  const go = h("button", { class: "b go", type: "button", disabled: true, onclick: begin }, t("new.begin"));

  const draw = () => {
    setChildren(
      chips,
      ...chosen.map((id) =>
        h(
          "span",
          { class: "pill" },
          avatar(id),
          h("bdi", {}, nameOf(id)),
          iconButton("close", t("new.without", { name: nameOf(id) }), {
            onclick: () => {
              chosen.splice(chosen.indexOf(id), 1);
              draw();
            },
          }),
        ),
      ),
    );
    setChildren(
      list,
      ...findPeople(field.value, chosen).map((completion, at) =>
        h(
          "li",
          { role: "option", "aria-selected": String(at === 0), onclick: () => add(completion.person ?? 0) },
          avatar(completion.person ?? 0, { presence: true }),
          h("bdi", {}, completion.label),
          h("small", {}, completion.hint),
        ),
      ),
    );
    go.disabled = !chosen.length;
  };
  /** @param {number} id */
  function add(id) {
    chosen.push(id);
    field.value = "";
    draw();
    field.focus();
  }
  function begin() {
    dialog.close();
    location.hash = conversationHash(directWith(chosen));
  }
  field.addEventListener("input", draw);
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    const [first] = findPeople(field.value, chosen);
    if (field.value.trim() && first?.person) add(first.person);
    else if (chosen.length) begin();
  });
  const dialog = openDialog(t("new.direct"), [chips, field, list], { footer: [go] });
  draw();
  return dialog;
}

export function newTopic() {
  const channel = new ChoiceField(t("label.channel"), channelChoices(), t("choice.unknown"));
  const topic = h("input", {
    class: "f",
    "aria-label": t("compose.topic"),
    maxlength: 60,
    dir: "auto",
    required: true,
  });
  const begin = () => {
    const { value } = channel;
    if (!channel.validate() || value === undefined) return;
    dialog.close();
    location.hash = conversationHash({ channel: value, topic: topic.value.trim() });
  };
  const form = h(
    "form",
    {
      class: "fields",
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        begin();
      },
    },
    h("div", { class: "field" }, h("span", { "aria-hidden": "true" }, t("label.channel")), channel.element),
    h("label", { class: "field" }, t("compose.topic"), topic),
    h("button", { class: "b go" }, t("new.begin")),
  );
  const dialog = openDialog(t("channel.new-topic"), [form]);
}
