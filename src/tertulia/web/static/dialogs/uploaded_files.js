/** The page of the settings with the account's uploaded files. */

import { get, remove } from "../core/api.js";
import { h, iconButton, setChildren } from "../core/html.js";
import { withErrorToast } from "../views/message_actions.js";
import { formatSize } from "../views/file_card.js";
import { formatDate } from "../views/time.js";
import { t } from "../core/i18n.js";
import { confirmAction } from "./dialog.js";
import { formSection } from "./forms.js";

/** @typedef {import("../core/api_types.d.ts").Schemas["AttachmentObject"]} UploadedFile */

export async function uploadedFilesPage() {
  const { attachments, upload_space_used: used } = await get("/attachments");
  const files = new Map(attachments.map((/** @type {UploadedFile} */ file) => [file.id, file]));
  let size = used;
  const total = h("p", { class: "quiet" });
  const draw = () => setChildren(total, files.size ? t("files.used", { size: formatSize(size) }) : t("files.none"));
  const deleted = (/** @type {UploadedFile} */ file) => {
    files.delete(file.id);
    size -= file.size;
    draw();
  };
  draw();
  const rows = [...attachments].sort((a, b) => b.create_time - a.create_time).map((file) => fileRow(file, deleted));
  return [formSection(t("files.title"), total, h("ul", { class: "plain kept" }, ...rows))];
}

/** @param {UploadedFile} file
 * @param {(file: UploadedFile) => void} deleted */
function fileRow(file, deleted) {
  const row = h(
    "li",
    {},
    h(
      "span",
      { class: "of" },
      h("a", { href: `/user_uploads/${file.path_id}`, target: "_blank", rel: "noopener" }, h("bdi", {}, file.name)),
      h("br"),
      h("small", {}, `${formatSize(file.size)} · ${formatDate(file.create_time)}`),
    ),
    file.message_ids.length > 0 &&
      h("a", { class: "b bare", href: `#narrow/id/${file.message_ids[0]}` }, t("files.message")),
    iconButton("trash", t("files.delete", { name: file.name }), { onclick: deleteFile }),
  );
  return row;

  async function deleteFile() {
    if (
      !(await confirmAction(
        t("files.delete-title"),
        t("files.delete-text", { name: file.name }),
        t("files.delete-title"),
      ))
    )
      return;
    const response = await withErrorToast(remove(`/attachments/${file.id}`));
    if (!response) return;
    row.remove();
    deleted(file);
  }
}
