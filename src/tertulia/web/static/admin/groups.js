/** User groups: create them, change their members. */

import { patch, post } from "../core/api.js";
import { findPeople } from "../state/typeahead_sources.js";
import { setChildren, h, iconButton } from "../core/html.js";
import { avatar } from "../views/avatars.js";
import { state } from "../state/session.js";
import { nameOf } from "../state/people.js";
import { formatNumber, t } from "../core/i18n.js";
import { confirmAction, openDialog, scopeOf } from "../dialogs/dialog.js";
import { labelled, settingRow } from "../dialogs/forms.js";
import { setKeyedChildren } from "../views/keyed_children.js";
import { formDialog, headButton, itemTable, menuButton, nameCell, removal, sectionHead } from "./parts.js";

/** @typedef {{id: number, name: string, description: string, members: number[], is_system_group: boolean, deactivated?:
 *   boolean}} Group */

/** @param {import("./sections.js").Pane} pane */
export function orgGroups({ rest, scope }) {
  const heads = [t("groups.one"), t("channel.subscribers")];
  const table = itemTable(t("groups.title"), heads, t("groups.none"), (/** @type {Group} */ group) => ({
    cells: [nameCell(group.name, group.description), formatNumber(group.members.length)],
    end: menuButton(group.name, [
      { icon: "draft", text: t("menu.edit"), act: () => editGroup(group.id) },
      removal(() => endGroup(group), "groups.end"),
    ]),
  }));
  const draw = () => table.draw(groups());
  scope.on("people", draw);
  draw();
  if (groups().some((group) => String(group.id) === rest[0])) queueMicrotask(() => editGroup(Number(rest[0])));
  return [sectionHead(t("groups.title"), t("groups.text"), headButton(t("groups.new"), newGroup)), table.element];
}

/** @returns {Group[]} */
function groups() {
  const all = /** @type {Group[]} */ (state.realm_user_groups ?? []);
  return all
    .filter((group) => !group.is_system_group && !group.deactivated)
    .sort((a, b) => a.name.localeCompare(b.name));
}

/** @param {Group} group */
async function endGroup(group) {
  if (await confirmAction(t("groups.end"), t("groups.end-text", { name: group.name }), t("groups.end")))
    await post(`/user_groups/${group.id}/deactivate`);
}

/** @param {number} id */
function editGroup(id) {
  const group = groups().find((each) => each.id === id);
  if (!group) return;
  const list = h("ul", { class: "plain kept" });
  const found = h("ul", { class: "plain kept" });
  const members = () => groups().find((each) => each.id === id)?.members ?? [];
  const change = (/** @type {Record<string, number[]>} */ what) => post(`/user_groups/${id}/members`, what);
  const field = h("input", {
    class: "f",
    "aria-label": t("channel.add"),
    placeholder: t("channel.add"),
    autocomplete: "off",
    oninput: () =>
      setChildren(found, ...(field.value.trim() ? findPeople(field.value, members()) : []).map(foundPerson)),
  });
  /** @param {{person?: number, label: string}} completion */
  const foundPerson = ({ person = 0, label }) => {
    const add = async () => {
      await change({ add: [person] });
      field.value = "";
      setChildren(found);
    };
    const button = h("button", { class: "b", type: "button", onclick: add }, t("dialog.add"));
    return h("li", {}, avatar(person), h("bdi", {}, label), button);
  };
  /** @param {number} person */
  const memberRow = (person) =>
    h(
      "li",
      {},
      avatar(person, { presence: true }),
      h("bdi", {}, nameOf(person)),
      iconButton("close", t("channel.remove", { name: nameOf(person) }), {
        onclick: () => change({ delete: [person] }),
      }),
    );
  const draw = () =>
    setKeyedChildren(
      list,
      members().map((person) => ({ key: String(person), build: () => memberRow(person) })),
    );
  draw();
  const dialog = openDialog(group.name, [
    h(
      "div",
      { class: "fields" },
      settingRow({
        name: "name",
        label: t("label.name"),
        value: group.name,
        save: (name) => patch(`/user_groups/${id}`, { name }),
      }),
      settingRow({
        name: "description",
        label: t("channels.description"),
        value: group.description,
        kind: "long",
        save: (description) => patch(`/user_groups/${id}`, { description }),
      }),
      h("section", { class: "fields" }, h("h2", {}, t("channel.subscribers")), field, found, list),
    ),
  ]);
  scopeOf(dialog).on("people", draw);
}

function newGroup() {
  const name = h("input", { class: "f", maxlength: 100, dir: "auto" });
  const description = h("input", { class: "f", dir: "auto" });
  formDialog(
    t("groups.new"),
    [labelled(t("label.name"), name), labelled(t("channels.description"), description)],
    t("channels.create"),
    () =>
      post("/user_groups/create", {
        name: name.value.trim(),
        description: description.value,
        members: [state.user_id],
      }),
  );
}
