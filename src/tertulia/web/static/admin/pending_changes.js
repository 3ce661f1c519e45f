/** Changes of settings that are not saved yet. They are saved together, or discarded. */

import { get, patch } from "../core/api.js";

/** @typedef {import("../core/api_types.d.ts").Schemas["SettingObject"]} Setting */
/** @typedef {{settings: Map<string, Setting>, defaults: Map<string, Setting>}} SettingList
 *   `settings` of the organization, and `defaults` of the personal settings of new accounts */
/** @typedef {"settings" | "defaults"} Part */

const NEW_ACCOUNTS = "organization-level-user-defaults";

export class PendingChanges {
  /** @param {(() => void)} changed runs after each change */
  constructor(changed) {
    /** @type {SettingList} */
    this.list = { settings: new Map(), defaults: new Map() };
    /** @type {Map<string, {part: Part, name: string, label: string, value: unknown}>} */
    this.changes = new Map();
    this.changed = changed;
  }

  async load() {
    const { settings, user_settings_defaults: defaults } = await get("/realm/settings");
    const byName = (/** @type {Setting[]} */ each) => new Map(each.map((setting) => [setting.name, setting]));
    this.list = { settings: byName(settings), defaults: byName(defaults) };
  }

  /** The settings of a section. The defaults of new accounts are all in one.
   * @param {string} section
   * @returns {{part: Part, settings: Setting[]}} */
  inSection(section) {
    const part = section === NEW_ACCOUNTS ? "defaults" : "settings";
    return {
      part,
      settings: [...this.list[part].values()].filter((each) =>
        part === "defaults" ? each.section : each.section === section,
      ),
    };
  }

  /** The value of a setting with the change that is not saved yet.
   * @param {Part} part
   * @param {Setting} setting */
  value(part, setting) {
    const change = this.changes.get(`${part}/${setting.name}`);
    return change ? change.value : setting.value;
  }

  /** @param {Part} part
   * @param {string} name */
  has(part, name) {
    return this.changes.has(`${part}/${name}`);
  }

  /** @param {Part} part
   * @param {Setting} setting
   * @param {string} label
   * @param {unknown} value */
  set(part, setting, label, value) {
    const key = `${part}/${setting.name}`;
    if (JSON.stringify(value) === JSON.stringify(setting.value)) this.changes.delete(key);
    else this.changes.set(key, { part, name: setting.name, label, value });
    this.changed();
  }

  get labels() {
    return [...this.changes.values()].map((change) => change.label);
  }

  discard() {
    this.changes.clear();
    this.changed();
  }

  /** Save everything. Raises the server's error; what was saved before it is no longer pending. */
  async save() {
    for (const [part, path] of /** @type {[Part, string][]} */ ([
      ["settings", "/realm"],
      ["defaults", "/realm/user_settings_defaults"],
    ])) {
      const own = [...this.changes].filter(([, change]) => change.part === part);
      if (!own.length) continue;
      await patch(
        path,
        Object.fromEntries(own.map(([, { name, value }]) => [name, this.#wireValue(part, name, value)])),
      );
      for (const [key] of own) this.changes.delete(key);
    }
    await this.load();
    this.changed();
  }

  /** @param {Part} part
   * @param {string} name
   * @param {unknown} value */
  #wireValue(part, name, value) {
    const setting = this.list[part].get(name);
    if (setting?.kind === "limit") return value === null ? '"unlimited"' : value;
    if (setting?.kind === "url") return value === null ? "default" : value;
    if (setting?.kind === "permission") return { new: value, old: setting.value };
    return value;
  }
}
