/** The dialog of what another app has shared with this one: it asks where to send it. The service worker keeps it. */

import { h, icon } from "../core/html.js";
import { t } from "../core/i18n.js";
import { lazy } from "../core/lazy.js";
import { closeDialogRoute } from "../core/router.js";
import { oneAtATime } from "../core/signals.js";
import { fullTitle } from "../state/conversations.js";
import { conversationHash } from "../state/narrow.js";
import { closedReason } from "../state/write_access.js";
import { enqueue } from "../sync/outbox.js";
import { isTooLarge, maxUploadMegabytes } from "../sync/upload.js";
import { formatSize } from "../views/file_card.js";
import { toast } from "../views/layout.js";
import { bindToAddress, openDialog, scopeOf } from "./dialog.js";
import { DestinationPicker } from "./forward.js";

const SHARE_CACHE = "tertulia-shared"; // as in sw.js
const MAX_FILES = 3; // files

/** @param {import("../state/routes.js").Route} _route
 * @param {() => boolean} isCurrent */
export async function showShare(_route, isCurrent) {
  const shared = await findShared();
  if (!isCurrent()) return;
  if (!shared) {
    toast(t("share.nothing"));
    closeDialogRoute();
    return;
  }
  const note = h("p", { class: "wrong", role: "alert" });
  const picker = new DestinationPicker(() => {
    note.textContent = (picker.conversation && closedReason(picker.conversation)?.text) ?? "";
  });
  const words = h("textarea", { class: "f", rows: 3, "aria-label": t("share.words"), dir: "auto" }, shared.text);
  const send = async () => {
    const to = picker.conversation;
    if (!to) return picker.focus();
    const files = shared.files.filter((each) => !isTooLarge(each));
    await enqueue(to, words.value.trim(), undefined, files);
    await caches.delete(SHARE_CACHE);
    dialog.close();
    toast(
      t("share.done", { name: fullTitle(to) }),
      h("a", { class: "b", href: conversationHash(to) }, t("forward.open")),
    );
    return undefined;
  };
  const run = oneAtATime(send);
  /** @type {string[]} */
  const pictures = [];
  const form = h(
    "form",
    {
      id: "share-form",
      class: "fields",
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        run();
      },
    },
    shared.files.length > 0 && fileList(shared.files, pictures),
    picker.element,
    h("label", { class: "field" }, t("share.words"), words),
    note,
  );
  const dialog = openDialog(t("share.title"), [form], {
    footer: [
      h("button", { class: "b", type: "button", "data-close": true }, t("dialog.cancel")),
      h("button", { class: "b go", form: "share-form" }, t("share.do")),
    ],
  });
  scopeOf(dialog).add(() => pictures.forEach((each) => URL.revokeObjectURL(each)));
  bindToAddress(dialog);
  picker.focus();
}

/** @param {File[]} files
 * @param {string[]} pictures gets the addresses of their thumbnails */
function fileList(files, pictures) {
  const more = files.length - MAX_FILES;
  return h(
    "ul",
    { class: "shared plain" },
    ...files.slice(0, MAX_FILES).map((file) => {
      const isPicture = file.type.startsWith("image/");
      if (isPicture) pictures.push(URL.createObjectURL(file));
      return h(
        "li",
        {},
        h("span", { class: "th" }, isPicture ? h("img", { src: pictures.at(-1), alt: "" }) : icon("file")),
        h("b", { class: "cut" }, h("bdi", {}, file.name)),
        isTooLarge(file)
          ? h("small", { class: "wrong" }, t("upload.large", { most: maxUploadMegabytes() }))
          : sizeNote(file),
      );
    }),
    more > 0 && h("li", { class: "quiet" }, t("share.more", { count: more })),
  );
}

/** The size of a file, and that a photo is sent without its place.
 * @param {File} file */
function sizeNote(file) {
  const note = h("small", {}, formatSize(file.size));
  lazy("share", "withoutPlace")
    .then((withoutPlace) => withoutPlace(file))
    .then((sent) => {
      if (sent !== file) note.append(` · ${t("share.place")}`);
    });
  return note;
}

/** @returns {Promise<{text: string, files: File[]} | undefined>} */
async function findShared() {
  const cache = await globalThis.caches?.open(SHARE_CACHE);
  const text = await (await cache?.match("/share/text"))?.text();
  if (!cache || text === undefined) return undefined;
  const files = [];
  for (let at = 0; ; at++) {
    const found = await cache.match(`/share/${at}`);
    if (!found) return { text, files };
    const name = decodeURIComponent(found.headers.get("X-Name") ?? "");
    files.push(new File([await found.blob()], name, { type: found.headers.get("Content-Type") ?? "" }));
  }
}
