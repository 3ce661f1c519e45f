/** The server's API, as the person of this session. */

const BASE = "/json";

/** The server understood and said no.
 * `code` and `message` are the API's; `answer` is all of what it said. */
export class Refused extends Error {
  /** @param {number} status
   * @param {Record<string, any>} answer */
  constructor(status, answer) {
    super(answer.msg || `HTTP ${status}`);
    this.status = status;
    this.code = answer.code ?? "";
    this.answer = answer;
  }
}

/** There was no answer, or none that means anything: try again later. */
export class Unreachable extends Error {}

/** @typedef {Record<string, any>} Params values that are not strings are sent as JSON */
/** @template {string} Method
 * @template {string} Path
 * @typedef {import("./api_types.d.ts").Answer<Method, Path>} Answer */

/** @template {string} Path
 * @param {Path} path
 * @param {Params} [params]
 * @param {AbortSignal} [signal]
 * @returns {Promise<Answer<"GET", Path>>} */
export function get(path, params = {}, signal) {
  return request("GET", path, params, signal);
}

/** @template {string} Path
 * @param {Path} path
 * @param {Params} [params]
 * @param {AbortSignal} [signal]
 * @param {Record<string, string>} [headers]
 * @returns {Promise<Answer<"POST", Path>>} */
export function post(path, params = {}, signal, headers) {
  return request("POST", path, params, signal, headers);
}

/** @template {string} Path
 * @param {Path} path
 * @param {Params} [params]
 * @returns {Promise<Answer<"PATCH", Path>>} */
export function patch(path, params = {}) {
  return request("PATCH", path, params);
}

/** @template {string} Path
 * @param {Path} path
 * @param {Params} [params]
 * @returns {Promise<Answer<"PUT", Path>>} */
export function put(path, params = {}) {
  return request("PUT", path, params);
}

/** @template {string} Path
 * @param {Path} path
 * @param {Params} [params]
 * @returns {Promise<Answer<"DELETE", Path>>} */
export function remove(path, params = {}) {
  return request("DELETE", path, params);
}

/** Parameters as the API reads them; `undefined` is left out.
 * @param {Params} params
 * @returns {URLSearchParams} */
export function encoded(params) {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined) form.append(name, typeof value === "string" ? value : JSON.stringify(value));
  }
  return form;
}

/** @param {string} path */
export function apiAddress(path) {
  return BASE + path;
}

/** The answer to what `preload.js` has asked for already, if it is this.
 * @param {string} address
 * @returns {Promise<{ok: boolean, status: number, json(): any}> | undefined} */
function askedEarly(address) {
  const early = /** @type {any} */ (window).early;
  if (early?.address !== address) return undefined;
  /** @type {any} */ (window).early = undefined;
  return early.answer;
}

/** @param {string} method
 * @param {string} path
 * @param {Params} params
 * @param {AbortSignal} [signal]
 * @param {Record<string, string>} [headers]
 * @returns {Promise<any>} */
async function request(method, path, params, signal, headers = {}) {
  const form = encoded(params);
  const query = method === "GET" && form.size ? `?${form}` : "";
  const body = method === "GET" ? undefined : form;
  let response, answer;
  try {
    response = await (askedEarly(BASE + path + query) ?? fetch(BASE + path + query, { method, body, headers, signal, credentials: "same-origin" }));
    answer = await response.json();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Unreachable(String(error));
  }
  if (response.ok) return answer;
  if (response.status >= 500) throw new Unreachable(answer.msg);
  throw new Refused(response.status, answer);
}
