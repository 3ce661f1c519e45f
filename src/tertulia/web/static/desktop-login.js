/* In the desktop app's own window: leads to the system's browser, where people are logged in with
 * their provider already, and finishes here with what the app finds on the clipboard. In that
 * browser, at the end: puts it there. */

/** @typedef {{ key: Uint8Array, pasted: Promise<string> }} Decrypted */
/** @typedef {{ decrypt_clipboard?: (version: number) => Decrypted }} Bridge */

const bridge = /** @type {{ electron_bridge?: Bridge }} */ (/** @type {unknown} */ (window)).electron_bridge;
const link = document.querySelector("a[data-leave]");

if (bridge?.decrypt_clipboard && link instanceof HTMLAnchorElement) {
  const { key, pasted } = bridge.decrypt_clipboard(1);
  const address = new URL(link.href);
  address.searchParams.set("desktop_flow_otp", hex(key));
  link.href = address.href;
  window.open(address.href, "_blank");
  pasted.then((token) => {
    window.location.href = `/accounts/login/subdomain/${encodeURIComponent(token)}`;
  });
}

const copying = document.querySelector("button[data-copy]");
const shown = document.querySelector("textarea[readonly]");

if (copying instanceof HTMLButtonElement && shown instanceof HTMLTextAreaElement) {
  copying.hidden = false;
  copying.addEventListener("click", () => {
    shown.select();
    // The newer way asks for a permission, and is not there over plain HTTP.
    const done = document.execCommand("copy") && document.querySelector("p[role=status]");
    if (done instanceof HTMLElement) done.hidden = false;
  });
}

/** @param {Uint8Array} bytes */
function hex(bytes) {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
