/** Settings of channel folders. */

import { patch, post } from "../core/api.js";
import { folders, sortedFolders } from "../state/channels.js";
import { setChildren, h } from "../core/html.js";
import { state } from "../state/session.js";
import { t } from "../core/i18n.js";
import { actionButton, formSection, labelled, settingRow } from "../dialogs/forms.js";
import { raised } from "./lists.js";

/** @param {import("./sections.js").Pane} pane */
export function orgFolders({ scope }) {
  const list = h("ul", { class: "plain kept-open" });
  const draw = () => setChildren(list, ...sortedFolders().map(folderRow));
  scope.on("folders", draw);
  draw();
  const name = h("input", { class: "f", "aria-label": t("folder.name"), maxlength: 60, dir: "auto" });
  const description = h("input", { class: "f", "aria-label": t("channels.description"), dir: "auto" });
  return [
    formSection(t("org.folders"), h("p", { class: "quiet" }, t("folder.text")), list),
    state.is_admin &&
      formSection(
        t("folder.add"),
        labelled(t("folder.name"), name),
        labelled(t("channels.description"), description),
        actionButton(t("folder.add"), () =>
          post("/channel_folders/create", { name: name.value.trim(), description: description.value }).then(() => {
            name.value = description.value = "";
          }),
        ),
      ),
  ];
}

/** @param {import("../state/channels.js").Folder} folder
 * @param {number} at */
function folderRow(folder, at) {
  if (!state.is_admin) return h("li", {}, h("bdi", {}, folder.name));
  const path = `/channel_folders/${folder.id}`;
  return h(
    "li",
    {},
    h(
      "details",
      {},
      h("summary", {}, h("bdi", {}, folder.name)),
      h(
        "div",
        { class: "fields" },
        settingRow({
          name: `folder-${folder.id}`,
          label: t("folder.name"),
          value: folder.name,
          save: (value) => patch(path, { name: value }),
        }),
        settingRow({
          name: `folder-about-${folder.id}`,
          label: t("channels.description"),
          value: folder.description,
          save: (value) => patch(path, { description: value }),
        }),
        h(
          "div",
          { class: "set" },
          at > 0 &&
            h(
              "button",
              { class: "b", type: "button", onclick: () => patch("/channel_folders", { order: order(at) }) },
              t("order.up"),
            ),
          actionButton(t("folder.archive"), () => patch(path, { is_archived: true }), "risk"),
        ),
      ),
    ),
  );
}

/** The new order of all folders, with archived ones.
 * @param {number} at */
function order(at) {
  const shown = raised(
    sortedFolders().map((each) => each.id),
    at,
  );
  return [...shown, ...[...folders.keys()].filter((id) => !shown.includes(id))];
}
