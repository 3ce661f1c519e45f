/** A button that uploads one file to a path of the API. */

import { apiUrl, describeError } from "../core/api.js";
import { h } from "../core/html.js";
import { t } from "../core/i18n.js";
import { actionButton } from "./forms.js";

/** @param {string} path
 * @param {string} text
 * @param {string} accept
 * @param {Record<string, string>} [more] more form fields
 * @returns {HTMLElement} */
export function fileButton(path, text, accept, more = {}) {
  const input = h("input", { type: "file", accept, hidden: true, "aria-label": text });
  const button = actionButton(text, () => chosen(input).then((file) => file && sendFile(path, file, more)));
  button.append(input);
  return button;
}

/** A field with a file, which a form sends.
 * @param {string} text
 * @param {string} accept */
export function fileField(text, accept) {
  const element = h("input", { class: "f", type: "file", accept, "aria-label": text });
  return {
    element,
    /** @param {string} path */
    send: async (path) => {
      const [file] = element.files ?? [];
      if (!file) throw new Error(t("file.choose"));
      await sendFile(path, file, {});
    },
  };
}

/** @param {HTMLInputElement} input
 * @returns {Promise<File | undefined>} */
function chosen(input) {
  return new Promise((resolve) => {
    input.onchange = () => resolve(input.files?.[0]);
    input.oncancel = () => resolve(undefined);
    input.click();
  });
}

/** @param {string} path
 * @param {File} file
 * @param {Record<string, string>} more */
async function sendFile(path, file, more) {
  const form = new FormData();
  form.append("file", file, file.name);
  for (const [name, value] of Object.entries(more)) form.append(name, value);
  const response = await fetch(apiUrl(path), { method: "POST", body: form });
  const result = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error((await describeError(result)) ?? t("upload.failed", { name: file.name }));
}
