/** Channel folders. */

import { patch, post } from "../core/api.js";
import { channels, folders, sortedFolders } from "../state/channels.js";
import { h } from "../core/html.js";
import { state } from "../state/session.js";
import { t } from "../core/i18n.js";
import { labelled } from "../dialogs/forms.js";
import { withErrorToast } from "../views/message_actions.js";
import { formDialog, headButton, itemTable, menuButton, nameCell, raised, raising, sectionHead } from "./parts.js";

/** @typedef {import("../state/channels.js").Folder} Folder */

/** @param {import("./sections.js").Pane} pane */
export function orgFolders({ scope }) {
  const heads = [t("folder.name"), t("view.channels")];
  const table = itemTable(t("org.folders"), heads, t("folder.none"), (/** @type {Folder} */ folder, at) => ({
    cells: [
      nameCell(folder.name, folder.description),
      String([...channels.values()].filter((each) => each.folder_id === folder.id && !each.is_archived).length),
    ],
    end: state.is_admin && menuButton(folder.name, folderMenu(folder, at)),
  }));
  const draw = () => table.draw(sortedFolders());
  scope.on("folders", draw);
  draw();
  const head = state.is_admin && headButton(t("folder.add"), () => editFolder());
  return [sectionHead(t("org.folders"), t("folder.text"), head), table.element];
}

/** @param {Folder} folder
 * @param {number} at
 * @returns {(import("./parts.js").MenuItem | false)[]} */
function folderMenu(folder, at) {
  return [
    { icon: "draft", text: t("menu.edit"), act: () => editFolder(folder) },
    at > 0 && raising(() => patch("/channel_folders", { order: orderWithRaised(at) })),
    {
      icon: "archive",
      text: t("folder.archive"),
      risk: true,
      act: () => withErrorToast(patch(`/channel_folders/${folder.id}`, { is_archived: true })),
    },
  ];
}

/** @param {Folder} [folder] a new one, without it */
function editFolder(folder) {
  const name = h("input", { class: "f", maxlength: 60, dir: "auto", value: folder?.name ?? "" });
  const description = h("input", { class: "f", dir: "auto", value: folder?.description ?? "" });
  formDialog(
    folder?.name ?? t("folder.add"),
    [labelled(t("folder.name"), name), labelled(t("channels.description"), description)],
    t(folder ? "dialog.save" : "dialog.add"),
    () => {
      const values = { name: name.value.trim(), description: description.value };
      return folder ? patch(`/channel_folders/${folder.id}`, values) : post("/channel_folders/create", values);
    },
  );
}

/** The new order of all folders, with archived ones.
 * @param {number} at */
function orderWithRaised(at) {
  const shown = raised(
    sortedFolders().map((each) => each.id),
    at,
  );
  return [...shown, ...[...folders.keys()].filter((id) => !shown.includes(id))];
}
