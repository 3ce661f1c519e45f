/** File uploads, with progress and cancelling. */

import { ApiError, apiUrl, describeError, NetworkError } from "../core/api.js";
import { lazy } from "../core/lazy.js";
import { state } from "../state/session.js";

/** @typedef {{promise: Promise<{url: string, filename: string}>, cancel: () => void}} Upload */

export function maxUploadMegabytes() {
  return state.max_file_upload_size_mib ?? 25;
}

/** @param {File} file */
export function isTooLarge(file) {
  return file.size > maxUploadMegabytes() * 1024 * 1024;
}

/** A photo is uploaded without the place where it was taken.
 * @param {File} file
 * @param {(part: number) => void} progress from 0 to 1
 * @returns {Upload} its promise is rejected with a text about the error, or without one if there was no answer */
export function upload(file, progress) {
  const cancelled = new AbortController();
  return { promise: send(file, progress, cancelled.signal), cancel: () => cancelled.abort() };
}

/** @param {File} file
 * @param {(part: number) => void} progress
 * @param {AbortSignal} cancelled */
async function send(file, progress, cancelled) {
  const content = file.type === "image/jpeg" ? await publicPhoto(file) : file;
  cancelled.throwIfAborted();
  const request = new XMLHttpRequest();
  cancelled.addEventListener("abort", () => request.abort());
  return new Promise((resolve, reject) => {
    request.open("POST", apiUrl("/user_uploads"));
    request.responseType = "json";
    request.upload.onprogress = (event) => event.lengthComputable && progress(event.loaded / event.total);
    request.onload = () =>
      request.status === 200
        ? resolve(request.response)
        : describeError(request.response ?? {}).then((message) => reject(uploadError(request, message)));
    request.onerror = () => reject(new NetworkError(""));
    request.onabort = () => reject(new DOMException("", "AbortError"));
    const form = new FormData();
    form.append("file", content, file.name);
    request.send(form);
  });
}

/** @param {File} file */
async function publicPhoto(file) {
  const withoutPlace = await lazy("share", "withoutPlace").catch(() => {
    throw new NetworkError("");
  });
  return withoutPlace(file);
}

/** @param {XMLHttpRequest} request
 * @param {string} [message] */
function uploadError({ status, response }, message) {
  return status >= 500 ? new NetworkError(message) : new ApiError(status, response ?? {}, message);
}
