/** Requests to the server's API, with the session of the logged-in person. */

import { currentLanguage, t } from "./i18n.js";
import { lazy } from "./lazy.js";

const BASE = "/json";

/** The server refused the request. `message` is for the person, `code` is the API's, `body` is the whole response. */
export class ApiError extends Error {
  /** @param {number} status
   * @param {Record<string, any>} body
   * @param {string} [message] */
  constructor(status, body, message = body.msg) {
    super(message || `HTTP ${status}`);
    this.status = status;
    this.code = body.code ?? "";
    this.body = body;
  }
}

/** There was no response, or one of status 500 and above: the request may work later. */
export class NetworkError extends Error {}

/** @typedef {Record<string, unknown>} Params values that are not strings are sent as JSON; `undefined` is left out */
/** @template {string} Method
 * @template {string} Path
 * @typedef {import("./api_types.d.ts").ApiResponse<Method, Path>} ApiResponse */

/** @template {string} Path
 * @param {Path} path
 * @param {Params} [params]
 * @param {AbortSignal} [signal]
 * @returns {Promise<ApiResponse<"GET", Path>>} */
export function get(path, params = {}, signal) {
  return request("GET", path, params, signal);
}

/** @template {string} Path
 * @param {Path} path
 * @param {Params} [params]
 * @param {AbortSignal} [signal]
 * @param {Record<string, string>} [headers]
 * @returns {Promise<ApiResponse<"POST", Path>>} */
export function post(path, params = {}, signal, headers) {
  return request("POST", path, params, signal, headers);
}

/** @template {string} Path
 * @param {Path} path
 * @param {Params} [params]
 * @returns {Promise<ApiResponse<"PATCH", Path>>} */
export function patch(path, params = {}) {
  return request("PATCH", path, params);
}

/** @template {string} Path
 * @param {Path} path
 * @param {Params} [params]
 * @returns {Promise<ApiResponse<"PUT", Path>>} */
export function put(path, params = {}) {
  return request("PUT", path, params);
}

/** @template {string} Path
 * @param {Path} path
 * @param {Params} [params]
 * @returns {Promise<ApiResponse<"DELETE", Path>>} */
export function remove(path, params = {}) {
  return request("DELETE", path, params);
}

/** Encodes parameters as the API reads them, without those that are `undefined`.
 * @param {Params} params
 * @returns {URLSearchParams} */
export function encodeParams(params) {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined) form.append(name, typeof value === "string" ? value : JSON.stringify(value));
  }
  return form;
}

/** @param {string} path */
export function apiUrl(path) {
  return BASE + path;
}

/** The response that `preload.js` has requested already, if it was this URL.
 * @param {string} url
 * @returns {Promise<{ok: boolean, status: number, json(): any}> | undefined} */
function takePreloaded(url) {
  const preloaded = window.preloaded;
  if (preloaded?.url !== url) return undefined;
  window.preloaded = undefined;
  return preloaded.response;
}

/** @param {string} method
 * @param {string} path
 * @param {Params} params
 * @param {AbortSignal} [signal]
 * @param {Record<string, string>} [headers]
 * @returns {Promise<any>} */
async function request(method, path, params, signal, headers = {}) {
  const form = encodeParams(params);
  const url = BASE + path + (method === "GET" && form.size ? `?${form}` : "");
  const body = method === "GET" ? undefined : form;
  let response, result;
  try {
    response = await (takePreloaded(url) ?? fetch(url, { method, body, headers, signal, credentials: "same-origin" }));
    result = await response.json();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new NetworkError(t("connection.no-answer"), { cause: error });
  }
  if (response.ok) return result;
  const message = await describeError(result);
  if (response.status >= 500) throw new NetworkError(message);
  throw new ApiError(response.status, result, message);
}

/** The error of a response in the person's language. Its texts are loaded at the first error.
 * @param {{code?: string, msg?: string, problem?: string, problem_values?: Record<string, string | number>}} body
 * @returns {Promise<string | undefined>} */
export async function describeError(body) {
  if (currentLanguage() === "en") return body.msg;
  try {
    return (await lazy("errors", "errorText"))(body);
  } catch {
    return body.msg;
  }
}
