/** Folders: how an organization's channels are sorted. */

import { patch, post } from "../core/api.js";
import { folders, sortedFolders } from "../state/channels.js";
import { fill, h } from "../core/html.js";
import { known } from "../state/session.js";
import { on } from "../core/signals.js";
import { say } from "../core/i18n.js";
import { deedButton, formSection, labelled, settingRow } from "./forms.js";
import { raised } from "./organization_lists.js";

export function orgFolders() {
  const list = h("ul", { class: "plain kept-open" });
  const draw = () => fill(list, ...sortedFolders().map(folderRow));
  const stop = on("folders", () => (list.isConnected ? draw() : stop()));
  draw();
  const name = h("input", { class: "f", "aria-label": say("folder.name"), maxlength: 60, dir: "auto" });
  const description = h("input", { class: "f", "aria-label": say("channels.description"), dir: "auto" });
  return [formSection(say("org.folders"), h("p", { class: "quiet" }, say("folder.text")), list),
    known.is_admin && formSection(say("folder.add"), labelled(say("folder.name"), name), labelled(say("channels.description"), description),
      deedButton(say("folder.add"), () => post("/channel_folders/create", { name: name.value.trim(), description: description.value }).then(() => { name.value = description.value = ""; })))];
}

/** @param {import("../state/channels.js").Folder} folder
 * @param {number} at */
function folderRow(folder, at) {
  if (!known.is_admin) return h("li", {}, h("bdi", {}, folder.name));
  const path = `/channel_folders/${folder.id}`;
  return h("li", {}, h("details", {}, h("summary", {}, h("bdi", {}, folder.name)), h("div", { class: "fields" },
    settingRow({ name: `folder-${folder.id}`, label: say("folder.name"), value: folder.name, save: (value) => patch(path, { name: value }) }),
    settingRow({ name: `folder-about-${folder.id}`, label: say("channels.description"), value: folder.description, save: (value) => patch(path, { description: value }) }),
    h("div", { class: "set" }, at > 0 && h("button", { class: "b", type: "button", onclick: () => patch("/channel_folders", { order: order(at) }) }, say("order.up")),
      deedButton(say("folder.archive"), () => patch(path, { is_archived: true }), "risk")))));
}

/** The new order of all folders, archived ones included.
 * @param {number} at */
function order(at) {
  const shown = raised(sortedFolders().map((each) => each.id), at);
  return [...shown, ...[...folders.keys()].filter((id) => !shown.includes(id))];
}
