/** The field of a permission: chips of the groups and people that have it, and a search that adds others. */

import { setChildren, h, icon, iconButton } from "../core/html.js";
import { t } from "../core/i18n.js";
import { nameOf } from "../state/people.js";
import { myId, state } from "../state/session.js";
import { findPeople } from "../state/typeahead_sources.js";
import { matchScore, normalizeText } from "../state/name_match.js";
import { avatar } from "../views/avatars.js";
import { groupName } from "./forms.js";

/** @typedef {import("../state/types.d.ts").Permission} Permission */
/** @typedef {import("../state/types.d.ts").Group} Group */
/** @typedef {{kind: "group" | "person", id: number, name: string, hint?: string}} Holder a group or a person that can
 *   have a permission */
/** @typedef {{id: string, label: string, value: Permission, groups: number[], change: (value: Permission) => unknown,
 *   disabled?: boolean, describedBy?: string}} Options `groups`: those that the permission can be given to */

export class PermissionField {
  #options;
  #value;
  #chips;
  #input;
  #list;
  /** @type {Holder[]} */
  #found = [];
  #selected = 0;

  /** @param {Options} options */
  constructor(options) {
    const { id, label, disabled, describedBy } = options;
    this.#options = options;
    this.#value = options.value;
    this.#chips = h("ul", { class: "plain set", "aria-label": label, "aria-live": "polite" });
    this.#list = h("ul", {
      class: "offer below plain",
      id: `${id}-list`,
      role: "listbox",
      "aria-label": label,
      hidden: true,
    });
    this.#input = h("input", {
      class: "f",
      id,
      role: "combobox",
      placeholder: t("permission.add"),
      autocomplete: "off",
      dir: "auto",
      "aria-expanded": "false",
      "aria-autocomplete": "list",
      "aria-controls": this.#list.id,
      "aria-describedby": describedBy,
      oninput: () => this.#open(),
      onclick: () => this.#open(),
      onblur: () => this.#close(),
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.#handleKey(event),
    });
    this.#list.addEventListener("mousedown", (event) => event.preventDefault()); // the field keeps the focus
    this.#list.addEventListener("click", (event) => {
      const item = /** @type {Element} */ (event.target).closest("[role=option]");
      if (item) this.#add(this.#found[Number(item.id.split("-").at(-1))]);
    });
    this.element = h(
      "div",
      { class: "permission", role: disabled ? "group" : undefined, "aria-label": disabled ? label : undefined },
      this.#chips,
      !disabled && h("div", { class: "adder" }, this.#input, this.#list),
    );
    this.#draw();
  }

  /** Show another value.
   * @param {Permission} value */
  show(value) {
    if (JSON.stringify(value) === JSON.stringify(this.#value)) return;
    this.#value = value;
    this.#draw();
  }

  #draw() {
    const holders = holdersOf(this.#value);
    const isFree = !this.#options.disabled && (holders.length > 1 || this.#options.groups.includes(nobody()));
    setChildren(
      this.#chips,
      ...holders.map((each) =>
        h(
          "li",
          { class: "pill" },
          mark(each),
          h("bdi", {}, each.name),
          isFree &&
            !isNobody(each) &&
            iconButton("close", t("permission.remove", { name: each.name }), { onclick: () => this.#remove(each) }),
        ),
      ),
    );
  }

  /** @param {Holder[]} holders */
  #change(holders) {
    this.#value = valueOf(holders);
    this.#draw();
    this.#options.change(this.#value);
  }

  /** Add a group or person. Each role contains the roles above it, so another role replaces the one that is there.
   * @param {Holder | undefined} holder */
  #add(holder) {
    if (!holder) return;
    const kept = isNobody(holder)
      ? []
      : holdersOf(this.#value).filter((each) => !isNobody(each) && !(isRole(each) && isRole(holder)));
    this.#input.value = "";
    this.#close();
    this.#change([...kept, holder]);
  }

  /** @param {Holder} holder */
  #remove(holder) {
    this.#change(holdersOf(this.#value).filter((each) => each.kind !== holder.kind || each.id !== holder.id));
    this.#input.focus();
  }

  #open() {
    const query = normalizeText(this.#input.value.trim());
    const present = holdersOf(this.#value);
    const taken = (/** @type {string} */ kind) => present.filter((each) => each.kind === kind).map((each) => each.id);
    const groups = (state.realm_user_groups ?? [])
      .filter((each) => this.#options.groups.includes(each.id) && !taken("group").includes(each.id))
      .map(groupHolder);
    const persons = query
      ? findPeople(query, taken("person")).map(
          (each) => /** @type {Holder} */ ({ kind: "person", id: each.person ?? 0, name: each.label, hint: each.hint }),
        )
      : [];
    const score = (/** @type {Holder} */ each) => matchScore(normalizeText(each.name), query);
    this.#found = [...groups, ...persons].filter((each) => score(each) >= 0).sort((a, b) => score(b) - score(a));
    setChildren(
      this.#list,
      ...(this.#found.length
        ? this.#found.map((each, at) =>
            h(
              "li",
              { role: "option", id: `${this.#list.id}-${at}`, "aria-selected": "false" },
              mark(each),
              h("bdi", {}, each.name),
              each.hint && h("small", {}, each.hint),
            ),
          )
        : [
            h(
              "li",
              { role: "option", "aria-disabled": "true", "aria-selected": "false", class: "quiet" },
              t("permission.none"),
            ),
          ]),
    );
    this.#list.hidden = false;
    this.#input.setAttribute("aria-expanded", "true");
    this.#select(0);
    this.#list.scrollIntoView({ block: "nearest" });
  }

  #close() {
    this.#list.hidden = true;
    this.#input.setAttribute("aria-expanded", "false");
    this.#input.removeAttribute("aria-activedescendant");
  }

  /** @param {number} at */
  #select(at) {
    this.#selected = at;
    for (const [index, item] of [...this.#list.children].entries()) {
      if (!this.#found[index]) continue;
      item.setAttribute("aria-selected", String(index === at));
      if (index !== at) continue;
      this.#input.setAttribute("aria-activedescendant", item.id);
      item.scrollIntoView({ block: "nearest" });
    }
  }

  /** @param {KeyboardEvent} event */
  #handleKey(event) {
    if (event.isComposing) return;
    const isOpen = !this.#list.hidden;
    const step = /** @type {Record<string, number>} */ ({ ArrowDown: 1, ArrowUp: -1 })[event.key];
    if (step && isOpen) this.#select((this.#selected + step + this.#found.length) % Math.max(1, this.#found.length));
    else if (event.key === "ArrowDown") this.#open();
    else if (event.key === "Enter" && isOpen) this.#add(this.#found[this.#selected]);
    else if (event.key === "Escape" && isOpen) this.#close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

/** A row with the field of a permission. It saves each change after the ones before it, and shows the result.
 * @param {Omit<Options, "change"> & {save: (value: Permission, old: Permission) => Promise<unknown>}} options
 * @returns {{element: HTMLElement, show: (value: Permission) => void}} `show` has no effect while changes are being
 *   saved */
export function permissionRow({ save, ...options }) {
  const note = h("small", { class: "quiet", "aria-live": "polite" });
  let saved = options.value;
  let saving = 0;
  let queue = Promise.resolve();
  const field = new PermissionField({
    ...options,
    change: (value) => {
      saving++;
      queue = queue
        .then(() => save(value, saved))
        .then(() => {
          saved = value;
        })
        .then(() => report(), report);
    },
  });
  /** @param {Error} [error] */
  const report = (error) => {
    saving--;
    note.classList.toggle("wrong", Boolean(error));
    note.textContent = error ? error.message : t("forms.saved");
    if (error && !saving) field.show(saved);
  };
  const show = (/** @type {Permission} */ value) => {
    if (saving) return;
    saved = value;
    field.show(value);
  };
  const name = options.disabled ? h("span", {}, options.label) : h("label", { for: options.id }, options.label);
  return {
    element: h("div", { class: "field", "data-permission": options.id }, h("span", {}, name, " ", note), field.element),
    show,
  };
}

/** The groups and people of a value.
 * @param {Permission} value
 * @returns {Holder[]} */
export function holdersOf(value) {
  const { direct_subgroups: groups, direct_members: members } =
    typeof value === "number" ? { direct_subgroups: [value], direct_members: [] } : value;
  const known = groups.map(findGroup).filter((group) => group !== undefined);
  return [
    ...known.map(groupHolder),
    ...members.map((id) => /** @type {Holder} */ ({ kind: "person", id, name: nameOf(id) })),
  ];
}

/** The value as the server writes it: one group is its id, none is the group of nobody.
 * @param {Holder[]} holders
 * @returns {Permission} */
function valueOf(holders) {
  const ids = (/** @type {string} */ kind) =>
    holders
      .filter((each) => each.kind === kind)
      .map((each) => each.id)
      .sort((a, b) => a - b);
  const members = ids("person");
  const groups = ids("group");
  if (!members.length && groups.length < 2) return groups[0] ?? nobody();
  return { direct_members: members, direct_subgroups: groups };
}

/** The groups that a permission of channels can be given to.
 * @param {string} name
 * @returns {number[]} */
export function groupsForChannels(name) {
  const supported = state.server_supported_permission_settings?.stream[name];
  const excluded = [
    "role:internet",
    !supported?.allow_everyone_group && "role:everyone",
    !supported?.allow_nobody_group && "role:nobody",
  ];
  return (state.realm_user_groups ?? [])
    .filter((group) => !group.deactivated && !(group.is_system_group && excluded.includes(group.name)))
    .map((group) => group.id);
}

/** The value of a permission of a new channel.
 * @param {string} name
 * @returns {Permission} */
export function defaultForChannels(name) {
  const role = state.server_supported_permission_settings?.stream[name]?.default_group_name;
  return (
    (state.realm_user_groups ?? []).find((group) => group.is_system_group && group.name === role)?.id ?? {
      direct_members: [myId()],
      direct_subgroups: [],
    }
  );
}

/** @param {number} id */
function findGroup(id) {
  return (state.realm_user_groups ?? []).find((group) => group.id === id);
}

/** The id of the group that has no members. */
function nobody() {
  return (
    (state.realm_user_groups ?? []).find((group) => group.is_system_group && group.name === "role:nobody")?.id ?? 0
  );
}

/** @param {Holder} holder */
function isNobody({ kind, id }) {
  return kind === "group" && id === nobody();
}

/** @param {Holder} holder */
function isRole({ kind, id }) {
  return kind === "group" && Boolean(findGroup(id)?.is_system_group);
}

/** @param {Group} group
 * @returns {Holder} */
function groupHolder(group) {
  return { kind: "group", id: group.id, name: groupName(group) };
}

/** @param {Holder} holder */
function mark({ kind, id }) {
  return kind === "person" ? avatar(id) : h("span", { class: "av", "aria-hidden": "true" }, icon("people", "s"));
}
