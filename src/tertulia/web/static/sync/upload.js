/** File uploads, with progress and cancelling. */

import { apiUrl } from "../core/api.js";
import { state } from "../state/session.js";
import { t } from "../core/i18n.js";

/** @typedef {{promise: Promise<{url: string, filename: string}>, cancel: () => void}} Upload */

/** Why a file is too large to upload, or an empty string.
 * @param {File} file */
export function sizeError(file) {
  const most = state.max_file_upload_size_mib ?? 25;
  return file.size > most * 1024 * 1024 ? t("upload.large", { name: file.name, most }) : "";
}

/** @param {File} file
 * @param {(part: number) => void} progress from 0 to 1
 * @returns {Upload} */
export function upload(file, progress) {
  const request = new XMLHttpRequest();
  const promise = new Promise((resolve, reject) => {
    request.open("POST", apiUrl("/user_uploads"));
    request.responseType = "json";
    request.upload.onprogress = (event) => event.lengthComputable && progress(event.loaded / event.total);
    request.onload = () => (request.status === 200 ? resolve(request.response) : reject(new Error(request.response?.msg ?? t("upload.failed", { name: file.name }))));
    request.onerror = () => reject(new Error(t("upload.failed", { name: file.name })));
    request.onabort = () => reject(new DOMException("", "AbortError"));
  });
  const form = new FormData();
  form.append("file", file, file.name);
  request.send(form);
  return { promise, cancel: () => request.abort() };
}
