/** File uploads, with progress and cancelling. */

import { ApiError, apiUrl, describeError, NetworkError } from "../core/api.js";
import { state } from "../state/session.js";

/** @typedef {{promise: Promise<{url: string, filename: string}>, cancel: () => void}} Upload */

export function maxUploadMegabytes() {
  return state.max_file_upload_size_mib ?? 25;
}

/** @param {File} file */
export function isTooLarge(file) {
  return file.size > maxUploadMegabytes() * 1024 * 1024;
}

/** @param {File} file
 * @param {(part: number) => void} progress from 0 to 1
 * @returns {Upload} its promise is rejected with a text about the error, or without one if there was no answer */
export function upload(file, progress) {
  const request = new XMLHttpRequest();
  const promise = new Promise((resolve, reject) => {
    request.open("POST", apiUrl("/user_uploads"));
    request.responseType = "json";
    request.upload.onprogress = (event) => event.lengthComputable && progress(event.loaded / event.total);
    request.onload = () =>
      request.status === 200
        ? resolve(request.response)
        : describeError(request.response ?? {}).then((message) => reject(uploadError(request, message)));
    request.onerror = () => reject(new NetworkError(""));
    request.onabort = () => reject(new DOMException("", "AbortError"));
  });
  const form = new FormData();
  form.append("file", file, file.name);
  request.send(form);
  return { promise, cancel: () => request.abort() };
}

/** @param {XMLHttpRequest} request
 * @param {string} [message] */
function uploadError({ status, response }, message) {
  return status >= 500 ? new NetworkError(message) : new ApiError(status, response ?? {}, message);
}
