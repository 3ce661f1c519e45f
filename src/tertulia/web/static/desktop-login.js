/* Login through the browser. In the desktop app's window: open the system's browser, where people are often
 * logged in with their provider already, and finish with the token that the app finds on the clipboard. In
 * that browser, at the end: copy the token. */

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

const copyButton = document.querySelector("button[data-copy]");
const tokenField = document.querySelector("textarea[readonly]");

if (copyButton instanceof HTMLButtonElement && tokenField instanceof HTMLTextAreaElement) {
  copyButton.hidden = false;
  copyButton.addEventListener("click", () => {
    tokenField.select();
    // The clipboard API needs a permission, and HTTPS.
    const done = document.execCommand("copy") && document.querySelector("p[role=status]");
    if (done instanceof HTMLElement) done.hidden = false;
  });
}

/** @param {Uint8Array} bytes */
function hex(bytes) {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
