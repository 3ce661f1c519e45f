/** Registers the service worker, which caches the page for offline use and shows push notifications. */

import { scriptUrl } from "../core/html.js";
import { isSpectator } from "../state/session.js";

const REPLACE_AFTER_MS = 5000;

export function startServiceWorker() {
  if (!("serviceWorker" in navigator) || isSpectator()) return;
  navigator.serviceWorker
    .register(scriptUrl(workerPath()))
    .then(replaceLater)
    .then(cacheOwnFiles)
    .catch(() => {}); // not available over plain HTTP
  navigator.serviceWorker.addEventListener("controllerchange", cacheOwnFiles);
  navigator.serviceWorker.addEventListener("message", ({ data }) => {
    // a notification was clicked
    if (typeof data?.hash === "string" && data.hash.startsWith("#")) location.hash = data.hash;
  });
}

/** The path of the worker that knows the files of the page in this language. */
export function workerPath() {
  return `/sw.js?language=${document.documentElement.lang}`;
}

/** Have a worker of another version or language replace the present one. A page that loads through a worker
 * while it is replaced never arrives, so this waits until a person who reloads at once has done so.
 * @param {ServiceWorkerRegistration | undefined} registration none where a browser extension or a test blocks
 *   workers */
function replaceLater(registration) {
  window.setTimeout(() => registration?.waiting?.postMessage("replace"), REPLACE_AFTER_MS);
}

/** The page, its files and its messages were loaded before the worker was there: have it cache them now. */
async function cacheOwnFiles() {
  const { active } = await navigator.serviceWorker.ready;
  const own = [...document.querySelectorAll("head [src], head [rel=stylesheet]")].map(
    (each) => each.getAttribute("src") ?? each.getAttribute("href"),
  );
  const { interactive, lists, fields, dialogs, composer, composerStyle, phone, phoneStyle, share } =
    document.documentElement.dataset;
  const requests = performance
    .getEntriesByType("resource")
    .map(({ name }) => name)
    .filter((name) => name.includes("/json/"));
  active?.postMessage({
    keep: [...own, interactive, lists, fields, dialogs, composer, composerStyle, phone, phoneStyle, share],
    read: ["/", ...requests],
  });
}
