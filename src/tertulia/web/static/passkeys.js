/* Passkeys on the pages at the door: one answers after the password, or is made in the settings.
 * Without this script the pages do the same with codes. */

const asking = document.querySelector("button[data-passkey]");
const making = document.querySelector("form[data-new-passkey]");
const notice = document.querySelector("p.notice[hidden]");

if ("credentials" in navigator && "PublicKeyCredential" in window) {
  if (asking instanceof HTMLButtonElement) {
    asking.hidden = false;
    asking.addEventListener("click", () => attempt(() => answer(asking.dataset.passkey ?? "")));
  }
  if (making instanceof HTMLFormElement) {
    making.hidden = false;
    making.addEventListener("submit", (event) => {
      event.preventDefault();
      attempt(() => make(making));
    });
  }
}

/** @param {() => Promise<void>} work */
async function attempt(work) {
  if (notice instanceof HTMLElement) notice.hidden = true;
  try {
    await work();
  } catch (error) {
    if (notice instanceof HTMLElement) {
      if (error instanceof Refused) notice.textContent = error.message;
      notice.hidden = false;
    }
  }
}

/** @param {string} options what the server asks, as JSON */
async function answer(options) {
  const found = await navigator.credentials.get({ publicKey: decoded(JSON.parse(options)) });
  const field = document.querySelector("input[name=passkey]");
  const code = document.querySelector("input[name=code]");
  if (!(field instanceof HTMLInputElement) || !(code instanceof HTMLInputElement)) return;
  field.value = JSON.stringify(encoded(found));
  code.required = false;
  field.form?.submit();
}

/** @param {HTMLFormElement} form */
async function make(form) {
  const given = new FormData(form);
  const begun = await post("/begin", { password: String(given.get("password")) });
  const made = await navigator.credentials.create({ publicKey: decoded(begun.options) });
  const kept = await post("", { state: begun.state, name: String(given.get("name")), answer: JSON.stringify(encoded(made)) });
  const codes = document.querySelector("ul.codes");
  if (kept.recovery_codes.length === 0 || codes === null) {
    window.location.href = "/accounts/second_factor/";
    return;
  }
  codes.replaceChildren(...kept.recovery_codes.map(codeItem));
  form.hidden = true;
  for (const each of document.querySelectorAll("[data-after]")) {
    if (each instanceof HTMLElement) each.hidden = false;
  }
}

class Refused extends Error {}

/** @param {string} path
 * @param {Record<string, string>} fields
 * @returns {Promise<any>} */
async function post(path, fields) {
  const reply = await fetch(`/json/users/me/second_factor/passkeys${path}`, { method: "POST", body: new URLSearchParams(fields) });
  const told = await reply.json();
  if (told.result !== "success") throw new Refused(told.msg);
  return told;
}

/** @param {string} code */
function codeItem(code) {
  const item = document.createElement("li");
  const text = document.createElement("code");
  text.textContent = code;
  item.append(text);
  return item;
}

/** What the server asks, with bytes in place of their text.
 * @param {any} options
 * @returns {any} */
function decoded(options) {
  const named = (/** @type {any} */ each) => ({ ...each, id: bytes(each.id) });
  return {
    ...options,
    challenge: bytes(options.challenge),
    ...(options.user && { user: named(options.user) }),
    ...(options.allowCredentials && { allowCredentials: options.allowCredentials.map(named) }),
    ...(options.excludeCredentials && { excludeCredentials: options.excludeCredentials.map(named) }),
  };
}

/** What the browser answers, with text in place of bytes.
 * @param {any} found
 * @returns {Record<string, unknown>} */
function encoded(found) {
  /** @type {Record<string, string>} */
  const response = {};
  for (const name of ["clientDataJSON", "attestationObject", "authenticatorData", "signature"]) {
    if (found.response[name]) response[name] = textOf(found.response[name]);
  }
  return { id: found.id, rawId: textOf(found.rawId), type: found.type, response };
}

/** @param {string} text */
function bytes(text) {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
}

/** @param {ArrayBuffer} data */
function textOf(data) {
  return btoa(String.fromCharCode(...new Uint8Array(data))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
