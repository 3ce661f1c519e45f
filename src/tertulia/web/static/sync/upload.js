/** Uploading files, with progress, and stopping it. */

import { apiAddress } from "../core/api.js";
import { known } from "../state/session.js";
import { say } from "../core/i18n.js";

/** @typedef {{promise: Promise<{url: string, filename: string}>, cancel: () => void}} Upload */

/** Why a file cannot be uploaded, before a byte of it is sent; nothing if it can.
 * @param {File} file */
export function tooLarge(file) {
  const most = known.max_file_upload_size_mib ?? 25;
  return file.size > most * 1024 * 1024 ? say("upload.large", { name: file.name, most }) : "";
}

/** @param {File} file
 * @param {(part: number) => void} progress from 0 to 1
 * @returns {Upload} */
export function upload(file, progress) {
  const request = new XMLHttpRequest();
  const promise = new Promise((resolve, reject) => {
    request.open("POST", apiAddress("/user_uploads"));
    request.responseType = "json";
    request.upload.onprogress = (event) => event.lengthComputable && progress(event.loaded / event.total);
    request.onload = () => (request.status === 200 ? resolve(request.response) : reject(new Error(request.response?.msg ?? say("upload.failed", { name: file.name }))));
    request.onerror = () => reject(new Error(say("upload.failed", { name: file.name })));
    request.onabort = () => reject(new DOMException("", "AbortError"));
  });
  const form = new FormData();
  form.append("file", file, file.name);
  request.send(form);
  return { promise, cancel: () => request.abort() };
}
