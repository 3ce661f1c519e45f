/** Beginning a conversation: with whom, or where. */

import { channelNamed, myChannels } from "../state/channels.js";
import { peopleToChoose } from "../state/typeahead_sources.js";
import { directWith } from "../state/conversations.js";
import { fill, h, iconButton } from "../core/html.js";
import { face } from "../views/avatars.js";
import { conversationHash } from "../state/narrow.js";
import { nameOf } from "../state/people.js";
import { say } from "../core/i18n.js";
import { openDialog } from "./dialog.js";

export function newDirect() {
  /** @type {number[]} */
  const chosen = [];
  const field = h("input", { class: "f", "aria-label": say("new.people"), placeholder: say("new.people"), autocomplete: "off", autofocus: true, role: "combobox", "aria-expanded": "true", "aria-controls": "found-people" });
  const list = h("ul", { class: "plain offer still", id: "found-people", role: "listbox", "aria-label": say("new.people") });
  const chips = h("div", { class: "set" });
  const go = h("button", { class: "b go", type: "button", disabled: true, onclick: begin }, say("new.begin"));

  const draw = () => {
    fill(chips, ...chosen.map((id) => h("span", { class: "pill" }, face(id), h("bdi", {}, nameOf(id)), iconButton("close", say("new.without", { name: nameOf(id) }), { onclick: () => { chosen.splice(chosen.indexOf(id), 1); draw(); } }))));
    fill(list, ...peopleToChoose(field.value, chosen).map((offer, at) => h("li", { role: "option", "aria-selected": String(at === 0), onclick: () => add(offer.person ?? 0) }, face(offer.person ?? 0, { presence: true }), h("bdi", {}, offer.label), h("small", {}, offer.hint))));
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
    const [first] = peopleToChoose(field.value, chosen);
    if (field.value.trim() && first?.person) add(first.person);
    else if (chosen.length) begin();
  });
  const dialog = openDialog(say("new.direct"), [chips, field, list], { footer: [go] });
  draw();
}

export function newTopic() {
  const channel = h("select", { class: "f", "aria-label": say("new.channel") }, ...myChannels().map((each) => h("option", { value: each.name }, each.name)));
  const topic = h("input", { class: "f", "aria-label": say("compose.topic"), maxlength: 60, dir: "auto", required: true });
  const begin = () => {
    const found = channelNamed(channel.value);
    if (!found) return;
    dialog.close();
    location.hash = conversationHash({ channel: found.stream_id, topic: topic.value.trim() });
  };
  const form = h("form", { class: "fields", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); begin(); } },
    h("label", { class: "field" }, say("new.channel"), channel), h("label", { class: "field" }, say("compose.topic"), topic), h("button", { class: "b go" }, say("new.begin")));
  const dialog = openDialog(say("new.topic"), [form]);
}
