/* Passkeys on the login and second-factor pages: used after the password, created in the settings. Without
 * this script those pages work with codes. */

const useButton = document.querySelector("button[data-passkey]");
const createForm = document.querySelector("form[data-new-passkey]");
const notice = document.querySelector("p.notice[hidden]");
const failed = notice?.textContent ?? "";
const WRONG_PASSWORD = "Wrong password!"; // as the API says it

if ("credentials" in navigator && "PublicKeyCredential" in window) {
  if (useButton instanceof HTMLButtonElement) {
    useButton.hidden = false;
    useButton.addEventListener("click", () => withNotice(() => usePasskey(useButton.dataset.passkey ?? "")));
  }
  if (createForm instanceof HTMLFormElement) {
    createForm.hidden = false;
    createForm.addEventListener("submit", (event) => {
      event.preventDefault();
      withNotice(() => createPasskey(createForm));
    });
  }
}

/** @param {() => Promise<void>} work */
async function withNotice(work) {
  if (notice instanceof HTMLElement) notice.hidden = true;
  try {
    await work();
  } catch (error) {
    if (notice instanceof HTMLElement) {
      notice.textContent = error instanceof ApiError ? noticeText(error.message, notice) : failed;
      notice.hidden = false;
    }
  }
}

/** The error in the language of the page; the API speaks English.
 * @param {string} message
 * @param {HTMLElement} notice */
function noticeText(message, notice) {
  if (message === WRONG_PASSWORD) return notice.dataset.wrongPassword ?? failed;
  return document.documentElement.lang.startsWith("en") ? message : failed;
}

/** @param {string} options the request options of the server, as JSON */
async function usePasskey(options) {
  const credential = await navigator.credentials.get({ publicKey: decodeOptions(JSON.parse(options)) });
  const field = document.querySelector("input[name=passkey]");
  const code = document.querySelector("input[name=code]");
  if (!(field instanceof HTMLInputElement) || !(code instanceof HTMLInputElement)) return;
  field.value = JSON.stringify(encodeCredential(credential));
  code.required = false;
  field.form?.submit();
}

/** @param {HTMLFormElement} form */
async function createPasskey(form) {
  const fields = new FormData(form);
  const challenge = await post("/begin", { password: String(fields.get("password")) });
  const credential = await navigator.credentials.create({ publicKey: decodeOptions(challenge.options) });
  const saved = await post("", {
    state: challenge.state,
    name: String(fields.get("name")),
    answer: JSON.stringify(encodeCredential(credential)),
  });
  const codes = document.querySelector("ul.codes");
  if (saved.recovery_codes.length === 0 || codes === null) {
    window.location.href = "/accounts/second_factor/";
    return;
  }
  codes.replaceChildren(...saved.recovery_codes.map(codeItem));
  form.hidden = true;
  for (const each of document.querySelectorAll("[data-after]")) {
    if (each instanceof HTMLElement) each.hidden = false;
  }
}

class ApiError extends Error {}

/** @param {string} path
 * @param {Record<string, string>} fields
 * @returns {Promise<any>} */
async function post(path, fields) {
  const reply = await fetch(`/json/users/me/second_factor/passkeys${path}`, {
    method: "POST",
    body: new URLSearchParams(fields),
  });
  const result = await reply.json();
  if (result.result !== "success") throw new ApiError(result.msg);
  return result;
}

/** @param {string} code */
function codeItem(code) {
  const item = document.createElement("li");
  const text = document.createElement("code");
  text.textContent = code;
  item.append(text);
  return item;
}

/** Request options of the server, with base64 decoded to bytes.
 * @param {any} options
 * @returns {any} */
function decodeOptions(options) {
  const withBytes = (/** @type {any} */ each) => ({ ...each, id: bytes(each.id) });
  return {
    ...options,
    challenge: bytes(options.challenge),
    ...(options.user && { user: withBytes(options.user) }),
    ...(options.allowCredentials && { allowCredentials: options.allowCredentials.map(withBytes) }),
    ...(options.excludeCredentials && { excludeCredentials: options.excludeCredentials.map(withBytes) }),
  };
}

/** A credential of the browser, with bytes encoded as base64.
 * @param {any} credential
 * @returns {Record<string, unknown>} */
function encodeCredential(credential) {
  /** @type {Record<string, string>} */
  const response = {};
  for (const name of ["clientDataJSON", "attestationObject", "authenticatorData", "signature"]) {
    if (credential.response[name]) response[name] = base64(credential.response[name]);
  }
  return { id: credential.id, rawId: base64(credential.rawId), type: credential.type, response };
}

/** @param {string} text */
function bytes(text) {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
}

/** @param {ArrayBuffer} data */
function base64(data) {
  return btoa(String.fromCharCode(...new Uint8Array(data)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
