/** User groups: who is in which, and making them. */

import { patch, post } from "../core/api.js";
import { peopleToChoose } from "../state/typeahead_sources.js";
import { fill, h, iconButton } from "../core/html.js";
import { face } from "../views/avatars.js";
import { known } from "../state/session.js";
import { nameOf } from "../state/people.js";
import { on } from "../core/signals.js";
import { say } from "../core/i18n.js";
import { confirmed } from "./dialog.js";
import { deedButton, formSection, settingRow } from "./forms.js";
import { openPages } from "./tabbed_dialog.js";

/** @typedef {{id: number, name: string, description: string, members: number[], is_system_group: boolean, deactivated?: boolean}} Group */

/** @param {{rest?: string[]}} [place] */
export function showGroups(place) {
  const own = groups();
  openPages(say("groups.title"), "#groups", [
    ...own.map((group) => ({ key: String(group.id), title: group.name, draw: () => groupPage(group.id) })),
    { key: "new", title: say("groups.new"), draw: newGroupPage },
  ], place?.rest?.[0]);
}

/** @returns {Group[]} */
function groups() {
  const all = /** @type {Group[]} */ (known.realm_user_groups ?? []);
  return all.filter((group) => !group.is_system_group && !group.deactivated).sort((a, b) => a.name.localeCompare(b.name));
}

/** @param {number} id */
function groupPage(id) {
  const group = groups().find((each) => each.id === id);
  if (!group) return [h("p", { class: "quiet" }, say("groups.gone"))];
  const list = h("ul", { class: "plain kept" });
  const found = h("ul", { class: "plain kept" });
  const field = h("input", { class: "f", "aria-label": say("channel.add"), placeholder: say("channel.add"), autocomplete: "off" });
  const members = () => groups().find((each) => each.id === id)?.members ?? [];
  const change = (/** @type {Record<string, number[]>} */ what) => post(`/user_groups/${id}/members`, what);
  const draw = () => fill(list, ...members().map((person) => h("li", {}, face(person, { presence: true }), h("bdi", {}, nameOf(person)),
    iconButton("close", say("channel.remove", { name: nameOf(person) }), { onclick: () => change({ delete: [person] }) }))));
  field.addEventListener("input", () => fill(found, ...(field.value.trim() ? peopleToChoose(field.value, members()) : []).map((offer) => h("li", {}, face(offer.person ?? 0), h("bdi", {}, offer.label),
    h("button", { class: "b", type: "button", onclick: async () => { await change({ add: [offer.person ?? 0] }); field.value = ""; fill(found); } }, say("channel.add-button"))))));
  const stop = on("people", () => (list.isConnected ? draw() : stop()));
  draw();
  return [formSection(group.name, settingRow({ name: "name", label: say("groups.name"), value: group.name, save: (name) => patch(`/user_groups/${id}`, { name }) }),
    settingRow({ name: "description", label: say("channels.description"), value: group.description, kind: "long", save: (description) => patch(`/user_groups/${id}`, { description }) })),
  formSection(say("channel.subscribers"), field, found, list),
  formSection(say("channel.end"), deedButton(say("groups.end"), async () => {
    if (await confirmed(say("groups.end"), say("groups.end-text", { name: group.name }), say("groups.end"))) await post(`/user_groups/${id}/deactivate`);
  }, "risk"))];
}

function newGroupPage() {
  const name = h("input", { class: "f", "aria-label": say("groups.name"), maxlength: 100, dir: "auto" });
  const description = h("input", { class: "f", "aria-label": say("channels.description"), dir: "auto" });
  return [formSection(say("groups.new"), h("label", { class: "field" }, say("groups.name"), name), h("label", { class: "field" }, say("channels.description"), description),
    deedButton(say("channels.create"), () => post("/user_groups/create", { name: name.value.trim(), description: description.value, members: [known.user_id] })))];
}
