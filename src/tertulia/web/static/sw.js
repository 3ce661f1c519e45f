/** The service worker. It caches the page's files, which never change, and for offline use the page and the
 * responses with the messages read last. Logging out deletes the page and the responses. */

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));
const FILES = ["files"]; // the server puts the paths here
const FILE_CACHE = "tertulia-files";
const RESPONSE_CACHE = "tertulia-read"; // as in core/account_data.js
const LOGOUT_CHANNEL = "tertulia-logout"; // as in core/account_data.js
const DATABASE_NAME = /^tertulia-\d+(-values)?$/; // as in core/account_data.js
const LOGOUT_PATHS = ["/logout/", "/accounts/logout/"];
const MAX_RESPONSES = 60;
let logouts = 0; // since the worker was started
const ROUTES = [
  { condition: { urlPattern: { pathname: "/static/page/*" } }, source: { cacheName: FILE_CACHE } },
  { condition: { urlPattern: { pathname: "/" }, requestMode: "navigate" }, source: "race-network-and-fetch-handler" },
  // once per message: nothing for the worker
  { condition: { urlPattern: { pathname: "/json/events" } }, source: "network" },
];

worker.addEventListener("install", (event) => {
  // Some browsers can serve cached files without starting the worker, and fetch the page while it starts.
  if ("addRoutes" in event)
    event.waitUntil(
      /** @type {{addRoutes(routes: object[]): Promise<void>}} */ (/** @type {unknown} */ (event))
        .addRoutes(ROUTES)
        .catch(() => {}),
    );
});

worker.addEventListener("activate", (event) => {
  const { navigationPreload } = worker.registration; // fetches the page while the worker starts
  event.waitUntil(Promise.all([worker.clients.claim(), deleteOldFiles(), navigationPreload?.enable()]));
});

worker.addEventListener("message", (event) => {
  if (event.data === "replace") worker.skipWaiting();
  if (Array.isArray(event.data?.keep))
    event.waitUntil(cacheFiles(event.data.keep).then(() => cacheRead(event.data.read ?? [])));
});

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const address = new URL(request.url);
  if (request.method === "POST" && LOGOUT_PATHS.includes(address.pathname)) event.waitUntil(deleteAccountData());
  if (request.method !== "GET" || address.origin !== location.origin) return;
  if (FILES.includes(address.pathname)) event.respondWith(cacheFirst(request));
  else if (request.mode === "navigate" && address.pathname === "/") event.respondWith(networkFirst(event, "/"));
  else if (isCacheable(address)) event.respondWith(networkFirst(event, request.url));
});

/** @param {URL} address */
function isCacheable({ pathname }) {
  return (
    pathname === "/json/messages" ||
    /^\/json\/users\/me\/\d+\/topics$/.test(pathname) ||
    pathname.startsWith("/user_avatars/") ||
    pathname.startsWith("/user_uploads/thumbnail/") ||
    pathname === "/static/icon.png" ||
    pathname === "/static/emoji.json"
  );
}

/** @param {Request} request */
async function cacheFirst(request) {
  const cache = await caches.open(FILE_CACHE);
  const cached = await cache.match(request, { ignoreVary: true });
  if (cached) return cached;
  const response = await fetch(request);
  if (response.ok) await cache.put(request, response.clone());
  return response;
}

/** The server's response, or the cached one if there is none. Caching does not delay the response.
 * @param {FetchEvent} event
 * @param {string} key */
async function networkFirst(event, key) {
  const session = logouts;
  try {
    const response = (await event.preloadResponse) ?? (await fetch(event.request));
    if (response.status >= 500) throw new Error(response.statusText);
    if (response.ok && !response.redirected) event.waitUntil(cacheResponse(key, response.clone(), session));
    else if (key === "/" && (response.redirected || response.type === "opaqueredirect"))
      event.waitUntil(deleteAccountData()); // logged out
    else if (key === "/") event.waitUntil(caches.delete(RESPONSE_CACHE));
    return response;
  } catch (error) {
    const cached = await (await caches.open(RESPONSE_CACHE)).match(key, { ignoreVary: true });
    if (cached) return cached;
    throw error;
  }
}

/** @param {string} key
 * @param {Response} response
 * @param {number} session in which it was requested */
async function cacheResponse(key, response, session) {
  const cache = await caches.open(RESPONSE_CACHE);
  await cache.put(key, response);
  if (session !== logouts)
    await caches.delete(RESPONSE_CACHE); // logged out meanwhile
  else await trim(cache);
}

/** Delete the account's data, and have the tabs delete theirs. */
async function deleteAccountData() {
  logouts++;
  const tabs = new BroadcastChannel(LOGOUT_CHANNEL);
  tabs.postMessage("logout");
  tabs.close();
  const found = (await indexedDB.databases?.()) ?? [];
  for (const { name } of found) if (name && DATABASE_NAME.test(name)) indexedDB.deleteDatabase(name);
  await caches.delete(RESPONSE_CACHE);
}

/** Cache files that a page has fetched before the worker was there.
 * @param {string[]} paths */
async function cacheFiles(paths) {
  const cache = await caches.open(FILE_CACHE);
  for (const path of paths)
    if (FILES.includes(path) && !(await cache.match(path, { ignoreVary: true }))) await cache.add(path);
}

/** Cache the page and responses that were read before the worker was there, for a reload without a connection.
 * @param {string[]} urls */
async function cacheRead(urls) {
  const session = logouts;
  const cache = await caches.open(RESPONSE_CACHE);
  for (const url of urls) {
    const address = new URL(url, location.origin);
    const key = address.pathname === "/" ? "/" : address.href;
    if ((key !== "/" && !isCacheable(address)) || (await cache.match(key, { ignoreVary: true }))) continue;
    const response = await fetch(address);
    if (response.ok && !response.redirected) await cacheResponse(key, response, session);
  }
}

/** @param {Cache} cache */
async function trim(cache) {
  const keys = await cache.keys();
  for (const key of keys.slice(0, Math.max(0, keys.length - MAX_RESPONSES))) {
    if (new URL(key.url).pathname !== "/") await cache.delete(key);
  }
}

async function deleteOldFiles() {
  const cache = await caches.open(FILE_CACHE);
  for (const key of await cache.keys()) if (!FILES.includes(new URL(key.url).pathname)) await cache.delete(key);
}

worker.addEventListener("push", (event) => event.waitUntil(onPush(event.data?.json() ?? {})));

worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(goTo(event.notification.data.hash));
});

/** Show the notification of a message, or close those of messages that were read elsewhere.
 * @param {Record<string, any>} push */
async function onPush(push) {
  if (push.type === "remove") {
    const gone = new Set(push.message_ids);
    for (const each of await worker.registration.getNotifications()) if (gone.has(each.data?.id)) each.close();
    return;
  }
  if (push.type !== "message") return;
  const open = await worker.clients.matchAll({ type: "window" });
  if (open.some((each) => each.focused)) return; // the page shows it itself
  const isDirect = push.recipient_type === "direct";
  // missing where there are too many
  const others = push.recipient_user_ids?.filter((/** @type {number} */ id) => id !== push.user_id);
  const hash = isDirect
    ? `#narrow/${others ? `dm/${others.join(",") || push.user_id}-dm` : "is/dm"}/near/${push.message_id}`
    : topicHash(push);
  const title = isDirect ? push.sender_full_name : `${push.sender_full_name} · ${push.channel_name} › ${push.topic}`;
  const tag = isDirect ? `dm-${push.recipient_user_ids}` : `topic-${push.channel_id}-${push.topic}`;
  await worker.registration.showNotification(title, {
    body: push.content,
    tag,
    icon: "/static/icon.png",
    data: { hash, id: push.message_id },
  });
}

/** @param {Record<string, any>} push */
function topicHash(push) {
  const channel = encodeURIComponent(push.channel_name).replaceAll("%", ".");
  const topic = encodeURIComponent(push.topic).replaceAll(".", "%2E").replaceAll("%", ".");
  return `#narrow/channel/${push.channel_id}-${channel}/topic/${topic}/near/${push.message_id}`;
}

/** @param {string} hash */
async function goTo(hash) {
  const [open] = await worker.clients.matchAll({ type: "window" });
  if (!open) return worker.clients.openWindow(`/${hash}`);
  await open.focus();
  return open.postMessage({ hash });
}
