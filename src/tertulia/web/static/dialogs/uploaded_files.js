/** The page of the settings with the account's uploaded files. */

import { get, remove } from "../core/api.js";
import { h, iconButton } from "../core/html.js";
import { toast } from "../views/layout.js";
import { formatDate } from "../views/time.js";
import { currentLanguage, t } from "../core/i18n.js";
import { confirmAction } from "./dialog.js";
import { formSection } from "./forms.js";

const KILOBYTE = 1000;
const UNITS = /** @type {const} */ (["kilobyte", "megabyte", "gigabyte", "terabyte"]);

export async function uploadedFilesPage() {
  const { attachments, upload_space_used: used } = await get("/attachments");
  const rows = [...attachments].sort((a, b) => b.create_time - a.create_time).map(fileRow);
  return [formSection(t("files.title"), h("p", { class: "quiet" }, rows.length ? t("files.used", { size: formatSize(used) }) : t("files.none")), h("ul", { class: "plain kept" }, ...rows))];
}

/** @param {import("../core/api_types.d.ts").Schemas["AttachmentObject"]} file */
function fileRow(file) {
  const row = h("li", {}, h("a", { href: `/user_uploads/${file.path_id}`, target: "_blank", rel: "noopener" }, h("bdi", {}, file.name)),
    h("small", {}, `${formatSize(file.size)} · ${formatDate(file.create_time)}`),
    file.message_ids.length > 0 && h("a", { class: "b bare", href: `#narrow/id/${file.message_ids[0]}` }, t("files.message")),
    iconButton("trash", t("files.delete", { name: file.name }), { onclick: deleteFile }));
  return row;

  async function deleteFile() {
    if (!(await confirmAction(t("files.delete-title"), t("files.delete-text", { name: file.name }), t("files.delete-title")))) return;
    await remove(`/attachments/${file.id}`).then(() => row.remove(), (error) => toast(error.message));
  }
}

/** @param {number} bytes
 * @returns {string} 1.5 kB */
export function formatSize(bytes) {
  let size = bytes / KILOBYTE;
  let step = 0;
  while (size >= KILOBYTE && step < UNITS.length - 1) {
    size /= KILOBYTE;
    step += 1;
  }
  return new Intl.NumberFormat(currentLanguage(), { style: "unit", unit: UNITS[step], maximumFractionDigits: 1 }).format(size);
}
