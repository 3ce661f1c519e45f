/** User groups: create them, change their members. */

import { patch, post } from "../core/api.js";
import { findPeople } from "../state/typeahead_sources.js";
import { setChildren, h, iconButton } from "../core/html.js";
import { avatar } from "../views/avatars.js";
import { state } from "../state/session.js";
import { nameOf } from "../state/people.js";
import { t } from "../core/i18n.js";
import { confirmAction } from "./dialog.js";
import { actionButton, formSection, settingRow } from "./forms.js";
import { openTabbedDialog } from "./tabbed_dialog.js";

/** @typedef {import("../core/scope.js").Scope} Scope */
/** @typedef {{id: number, name: string, description: string, members: number[], is_system_group: boolean, deactivated?:
 *   boolean}} Group */

/** @param {{rest?: string[]}} [route] */
export function showGroups(route) {
  const own = groups();
  openTabbedDialog(
    t("groups.title"),
    "#groups",
    [
      ...own.map((group) => ({
        key: String(group.id),
        title: group.name,
        draw: (/** @type {Scope} */ scope) => groupPage(group.id, scope),
      })),
      { key: "new", title: t("groups.new"), draw: newGroupPage },
    ],
    route?.rest?.[0],
  );
}

/** @returns {Group[]} */
function groups() {
  const all = /** @type {Group[]} */ (state.realm_user_groups ?? []);
  return all
    .filter((group) => !group.is_system_group && !group.deactivated)
    .sort((a, b) => a.name.localeCompare(b.name));
}

/** @param {number} id
 * @param {Scope} scope */
function groupPage(id, scope) {
  const group = groups().find((each) => each.id === id);
  if (!group) return [h("p", { class: "quiet" }, t("groups.gone"))];
  const list = h("ul", { class: "plain kept" });
  const found = h("ul", { class: "plain kept" });
  const field = h("input", {
    class: "f",
    "aria-label": t("channel.add"),
    placeholder: t("channel.add"),
    autocomplete: "off",
  });
  const members = () => groups().find((each) => each.id === id)?.members ?? [];
  const change = (/** @type {Record<string, number[]>} */ what) => post(`/user_groups/${id}/members`, what);
  const draw = () =>
    setChildren(
      list,
      ...members().map((person) =>
        h(
          "li",
          {},
          avatar(person, { presence: true }),
          h("bdi", {}, nameOf(person)),
          iconButton("close", t("channel.remove", { name: nameOf(person) }), {
            onclick: () => change({ delete: [person] }),
          }),
        ),
      ),
    );
  field.addEventListener("input", () =>
    setChildren(
      found,
      ...(field.value.trim() ? findPeople(field.value, members()) : []).map((completion) =>
        h(
          "li",
          {},
          avatar(completion.person ?? 0),
          h("bdi", {}, completion.label),
          h(
            "button",
            {
              class: "b",
              type: "button",
              onclick: async () => {
                await change({ add: [completion.person ?? 0] });
                field.value = "";
                setChildren(found);
              },
            },
            t("dialog.add"),
          ),
        ),
      ),
    ),
  );
  scope.on("people", draw);
  draw();
  return [
    formSection(
      group.name,
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
    ),
    formSection(t("channel.subscribers"), field, found, list),
    formSection(
      t("channel.end"),
      actionButton(
        t("groups.end"),
        async () => {
          if (await confirmAction(t("groups.end"), t("groups.end-text", { name: group.name }), t("groups.end")))
            await post(`/user_groups/${id}/deactivate`);
        },
        "risk",
      ),
    ),
  ];
}

function newGroupPage() {
  const name = h("input", { class: "f", "aria-label": t("label.name"), maxlength: 100, dir: "auto" });
  const description = h("input", { class: "f", "aria-label": t("channels.description"), dir: "auto" });
  return [
    formSection(
      t("groups.new"),
      h("label", { class: "field" }, t("label.name"), name),
      h("label", { class: "field" }, t("channels.description"), description),
      actionButton(t("channels.create"), () =>
        post("/user_groups/create", {
          name: name.value.trim(),
          description: description.value,
          members: [state.user_id],
        }),
      ),
    ),
  ];
}
