/** The service worker: files that never change are kept, and for times without a connection so are
 * the page and the messages that were read last. Whoever logs out takes all of that away. */

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));
const FILES = ["files"];
const SHELL = "tertulia-files";
const READ = "tertulia-read"; // as in core/account_data.js
const LOGOUT = "tertulia-logout"; // as in core/account_data.js
const DATABASE = /^tertulia-\d+$/; // as in core/account_data.js
const LOGOUT_PATHS = ["/logout/", "/accounts/logout/"];
const KEPT_ANSWERS = 60;
let sessions = 0; // that have ended since the worker was started
const ROUTES = [
  { condition: { urlPattern: { pathname: "/static/page/*" } }, source: { cacheName: SHELL } },
  { condition: { urlPattern: { pathname: "/" }, requestMode: "navigate" }, source: "race-network-and-fetch-handler" },
];

worker.addEventListener("install", (event) => {
  worker.skipWaiting();
  // Browsers that can take files from where they are kept without waking us, and the page's own
  // answer while we wake up.
  if ("addRoutes" in event) event.waitUntil(/** @type {any} */ (event).addRoutes(ROUTES).catch(() => {}));
});

worker.addEventListener("activate", (event) => {
  const { navigationPreload } = worker.registration; // the page is asked for while we wake up
  event.waitUntil(Promise.all([worker.clients.claim(), forgetOldFiles(), navigationPreload?.enable()]));
});

worker.addEventListener("message", (event) => {
  if (Array.isArray(event.data?.keep)) event.waitUntil(keepFiles(event.data.keep));
});

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const address = new URL(request.url);
  if (request.method === "POST" && LOGOUT_PATHS.includes(address.pathname)) event.waitUntil(deleteAccountData());
  if (request.method !== "GET" || address.origin !== location.origin) return;
  if (FILES.includes(address.pathname)) event.respondWith(keptFirst(request));
  else if (request.mode === "navigate" && address.pathname === "/") event.respondWith(newestFirst(event, "/"));
  else if (isWorthKeeping(address)) event.respondWith(newestFirst(event, request.url));
});

/** @param {URL} address */
function isWorthKeeping({ pathname }) {
  return pathname === "/json/messages" || /^\/json\/users\/me\/\d+\/topics$/.test(pathname)
    || pathname.startsWith("/user_avatars/") || pathname.startsWith("/user_uploads/thumbnail/") || pathname === "/static/icon.png" || pathname === "/static/emoji.json";
}

/** @param {Request} request */
async function keptFirst(request) {
  const cache = await caches.open(SHELL);
  const kept = await cache.match(request, { ignoreVary: true });
  if (kept) return kept;
  const answer = await fetch(request);
  if (answer.ok) await cache.put(request, answer.clone());
  return answer;
}

/** What the server says now; what it said last if it says nothing. Keeping it happens beside.
 * @param {FetchEvent} event
 * @param {string} key */
async function newestFirst(event, key) {
  const session = sessions;
  try {
    const answer = (await event.preloadResponse) ?? (await fetch(event.request));
    if (answer.status >= 500) throw new Error(answer.statusText);
    if (answer.ok && !answer.redirected) event.waitUntil(keepAnswer(key, answer.clone(), session));
    else if (key === "/" && (answer.redirected || answer.type === "opaqueredirect")) event.waitUntil(deleteAccountData()); // logged out
    else if (key === "/") event.waitUntil(caches.delete(READ));
    return answer;
  } catch (error) {
    const kept = await (await caches.open(READ)).match(key, { ignoreVary: true });
    if (kept) return kept;
    throw error;
  }
}

/** @param {string} key
 * @param {Response} answer
 * @param {number} session when it was asked for */
async function keepAnswer(key, answer, session) {
  const cache = await caches.open(READ);
  await cache.put(key, answer);
  if (session !== sessions) await caches.delete(READ); // logged out meanwhile
  else await trim(cache);
}

/** Delete what is kept of an account, and have the tabs do the same. */
async function deleteAccountData() {
  sessions++;
  const siblings = new BroadcastChannel(LOGOUT);
  siblings.postMessage("logout");
  siblings.close();
  const found = (await indexedDB.databases?.()) ?? [];
  for (const { name } of found) if (name && DATABASE.test(name)) indexedDB.deleteDatabase(name);
  await caches.delete(READ);
}

/** Files that a page has fetched before we were there.
 * @param {string[]} paths */
async function keepFiles(paths) {
  const cache = await caches.open(SHELL);
  for (const path of paths) if (FILES.includes(path) && !(await cache.match(path, { ignoreVary: true }))) await cache.add(path);
}

/** @param {Cache} cache */
async function trim(cache) {
  const keys = await cache.keys();
  for (const key of keys.slice(0, Math.max(0, keys.length - KEPT_ANSWERS))) {
    if (new URL(key.url).pathname !== "/") await cache.delete(key);
  }
}

async function forgetOldFiles() {
  const cache = await caches.open(SHELL);
  for (const key of await cache.keys()) if (!FILES.includes(new URL(key.url).pathname)) await cache.delete(key);
}

worker.addEventListener("push", (event) => event.waitUntil(hear(event.data?.json() ?? {})));

worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(goTo(event.notification.data.hash));
});

/** What a push tells: a message, or that some were read elsewhere.
 * @param {Record<string, any>} told */
async function hear(told) {
  if (told.type === "remove") {
    const gone = new Set(told.message_ids);
    for (const each of await worker.registration.getNotifications()) if (gone.has(each.data?.id)) each.close();
    return;
  }
  if (told.type !== "message") return;
  const open = await worker.clients.matchAll({ type: "window" });
  if (open.some((each) => each.focused)) return; // the page shows it itself
  const isDirect = told.recipient_type === "direct";
  const others = told.recipient_user_ids?.filter((/** @type {number} */ id) => id !== told.user_id); // not told where they are too many
  const hash = isDirect
    ? `#narrow/${others ? `dm/${others.join(",") || told.user_id}-dm` : "is/dm"}/near/${told.message_id}`
    : `#narrow/channel/${told.channel_id}-${encodeURIComponent(told.channel_name).replaceAll("%", ".")}/topic/${encodeURIComponent(told.topic).replaceAll(".", "%2E").replaceAll("%", ".")}/near/${told.message_id}`;
  const title = isDirect ? told.sender_full_name : `${told.sender_full_name} · ${told.channel_name} › ${told.topic}`;
  const tag = isDirect ? `dm-${told.recipient_user_ids}` : `topic-${told.channel_id}-${told.topic}`;
  await worker.registration.showNotification(title, { body: told.content, tag, icon: "/static/icon.png", data: { hash, id: told.message_id } });
}

/** @param {string} hash */
async function goTo(hash) {
  const [open] = await worker.clients.matchAll({ type: "window" });
  if (!open) return worker.clients.openWindow(`/${hash}`);
  await open.focus();
  return open.postMessage({ hash });
}
