/** The service worker. It caches the page's files, which never change, and for offline use the page and the
 * responses with the messages read last. Logging out deletes the page and the responses. */

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));
const FILES = ["files"]; // the server puts the paths here
const WORDS = { reply: "", read: "", mute: "", more: "", unsent: "" }; // the server puts the texts here
const MAX_LINES = 5; // of a notification
const FILE_CACHE = "tertulia-files";
const RESPONSE_CACHE = "tertulia-read"; // as in core/account_data.js
const SHARE_CACHE = "tertulia-shared"; // as in dialogs/share.js
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
  if (request.method === "POST" && address.pathname === "/share") event.respondWith(keepShared(request));
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
    /^\/json\/streams\/\d+\/forum$/.test(pathname) ||
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
    // Chromium answers a failed preload with a response of the type "error".
    if (response.status >= 500 || response.type === "error") throw new Error(response.statusText);
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
  await caches.delete(SHARE_CACHE);
}

/** Keep what another app shares, and let the page ask where to send it. It works offline.
 * @param {Request} request */
async function keepShared(request) {
  const form = await request.formData();
  const words = ["title", "text", "url"].map((name) => String(form.get(name) ?? "").trim());
  // Android puts the link into the text, too
  const lines = words.filter((line, at) => line && !words.some((other, each) => each !== at && other.includes(line)));
  await caches.delete(SHARE_CACHE);
  const cache = await caches.open(SHARE_CACHE);
  const files = form.getAll("files").filter((each) => each instanceof File && each.size > 0);
  for (const [at, file] of /** @type {File[]} */ (files).entries()) {
    const headers = { "X-Name": encodeURIComponent(file.name), "Content-Type": file.type };
    await cache.put(`/share/${at}`, new Response(file, { headers }));
  }
  await cache.put("/share/text", new Response(lines.join("\n")));
  return Response.redirect("/#share", 303);
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

/** Pushes one after the other: each reads what the one before it has shown. */
let shownPushes = Promise.resolve();

worker.addEventListener("push", (event) => {
  const push = event.data?.json() ?? {};
  shownPushes = shownPushes.then(() => onPush(push)).catch(() => {});
  event.waitUntil(shownPushes);
});

worker.addEventListener("notificationclick", (event) => {
  const { action, notification } = event;
  const { reply } = /** @type {{reply?: string | null}} */ (/** @type {unknown} */ (event)); // not in the types yet
  notification.close();
  event.waitUntil((ACTIONS[action] ?? openMessage)(notification, reply ?? ""));
});

/** @typedef {{id: number, name: string, text: string}} Line a message in a notification
 * @typedef {{hash: string, title: string, isDirect: boolean, to?: Record<string, string>, lines: Line[],
 *   isMore?: boolean}} Shown of one conversation, oldest first; `to` are the parameters of a reply */

/** What the buttons of a notification do, besides opening the message.
 * @type {Record<string, (notification: Notification, reply: string) => Promise<unknown>>} */
const ACTIONS = {
  reply: async (notification, reply) => {
    const { to, hash } = notification.data;
    if (!to || !reply.trim()) return openMessage(notification);
    const response = await call("/json/messages", { ...to, content: reply }).catch(() => null);
    if (response?.ok) return markRead(notification);
    return worker.registration.showNotification(WORDS.unsent, { body: reply, data: { hash } });
  },
  read: markRead,
  more: (notification) => show(notification.tag, { ...notification.data, isMore: true }, false),
  answer: (notification) =>
    openMessage({ data: { hash: `${notification.data.hash}/answer/${notification.data.ring}` } }),
  decline: ({ data: { ring } }) => call(`/json/calls/${ring}/decline`, {}),
  mute: (notification) =>
    call("/json/web_push/mute", { message_id: String(linesOf(notification).at(-1)?.id), seconds: "3600" }),
};

/** @param {Notification} notification */
function markRead(notification) {
  return call("/json/messages/flags", {
    messages: JSON.stringify(linesOf(notification).map((line) => line.id)),
    op: "add",
    flag: "read",
  });
}

/** Whether a button of a notification can have a text field: only then the browser reads its type. */
function canReply() {
  let isRead = false;
  const type = () => {
    isRead = true;
    return "text";
  };
  const reply = Object.defineProperty({ action: "reply", title: "" }, "type", { get: type });
  try {
    new Notification("", /** @type {NotificationOptions} */ ({ actions: [reply] }));
  } catch {} // a worker may not make one
  return isRead;
}

/** Show a message in the notification of its conversation, or correct what is shown.
 * @param {Record<string, any>} push */
async function onPush(push) {
  if (push.badge !== undefined) await setBadge(push.badge);
  if (push.type === "test") await showTest(push);
  if (push.type === "message") await showMessage(push);
  if (push.type === "ring") await showRing(push);
  if (push.type === "ring_end") await endRing(push.call_token);
  if (push.type === "remove") {
    const gone = new Set(push.message_ids);
    await correct((line) => (gone.has(line.id) ? null : line));
  }
  if (push.type === "edit")
    await correct((line) => (line.id === push.message_id ? { ...line, text: push.content } : line));
}

/** Show that a call rings, with Answer and Decline.
 * @param {Record<string, any>} push */
async function showRing(push) {
  const pages = await worker.clients.matchAll({ type: "window" });
  if (pages.some((each) => each.focused)) return; // the page rings itself
  const options = {
    body: push.content,
    tag: `ring-${push.call_token}`,
    renotify: true,
    requireInteraction: true,
    vibrate: [400, 200, 400, 200, 400],
    icon: "/static/icon.png",
    badge: "/static/icon-mono.png",
    data: { hash: push.hash, ring: push.call_token },
    actions: [
      { action: "answer", title: push.answer },
      { action: "decline", title: push.decline },
    ],
  };
  await worker.registration.showNotification(push.title, options);
}

/** @param {string} token */
async function endRing(token) {
  for (const each of await worker.registration.getNotifications({ tag: `ring-${token}` })) each.close();
}

/** @param {number} count */
async function setBadge(count) {
  const { setAppBadge } = /** @type {{setAppBadge?(count: number): Promise<void>}} */ (navigator);
  await setAppBadge?.call(navigator, count).catch(() => {});
}

/** @param {Record<string, any>} push */
async function showMessage(push) {
  const pages = await worker.clients.matchAll({ type: "window" });
  if (pages.some((each) => each.focused)) return; // the page shows it itself
  const isDirect = push.recipient_type === "direct";
  // missing where there are too many
  const others = push.recipient_user_ids?.filter((/** @type {number} */ id) => id !== push.user_id);
  const hash = isDirect
    ? `#narrow/${others ? `dm/${others.join(",") || push.user_id}-dm` : "is/dm"}/near/${push.message_id}`
    : topicHash(push);
  const title = isDirect ? (others?.length > 1 ? "" : push.sender_full_name) : `${push.channel_name} › ${push.topic}`;
  const tag = isDirect ? `dm-${push.recipient_user_ids}` : `topic-${push.channel_id}-${push.topic}`;
  const before = await worker.registration.getNotifications({ tag });
  for (const each of before) each.close(); // Safari shows one more for the same tag
  const to = isDirect
    ? others && { type: "direct", to: JSON.stringify(others.length ? others : [push.user_id]) }
    : { type: "channel", to: String(push.channel_id), topic: push.topic };
  const line = { id: push.message_id, name: push.sender_full_name, text: push.content };
  const lines = [...before.flatMap(linesOf).filter(({ id }) => id !== line.id), line].slice(-MAX_LINES);
  await show(tag, { hash, title, isDirect, to, lines }, true);
}

/** As many as the browser shows, which often are two. The last one shows the others.
 * @param {boolean} [isMore] */
function buttons(isMore) {
  const all = [
    ...(canReply() ? [{ action: "reply", title: WORDS.reply, type: "text" }] : []),
    { action: "read", title: WORDS.read },
    { action: "mute", title: WORDS.mute },
  ];
  const { maxActions = all.length } = /** @type {{maxActions?: number}} */ (/** @type {unknown} */ (Notification));
  if (all.length <= maxActions) return all;
  const first = all.slice(0, maxActions - 1);
  return isMore ? all.slice(first.length) : [...first, { action: "more", title: WORDS.more }];
}

/** @param {string} tag
 * @param {Shown} shown
 * @param {boolean} rings */
async function show(tag, shown, rings) {
  const { title, isDirect, lines } = shown;
  const names = new Set(lines.map((line) => line.name));
  const isOne = names.size === 1;
  const [name] = names;
  const options = {
    body: lines.map((line) => (isOne ? line.text : `${line.name}: ${line.text}`)).join("\n"),
    tag,
    renotify: rings,
    silent: !rings,
    icon: "/static/icon.png",
    badge: "/static/icon-mono.png",
    data: shown,
    actions: buttons(shown.isMore),
  };
  const full = isDirect ? title || [...names].join(", ") : isOne ? `${name} · ${title}` : title;
  await worker.registration.showNotification(full, options);
}

/** Change lines of the notifications that are shown; those without a line are closed.
 * @param {(line: Line) => Line | null} change */
async function correct(change) {
  for (const notification of await worker.registration.getNotifications()) {
    const before = linesOf(notification);
    const lines = before.flatMap((line) => change(line) ?? []);
    if (before.length && !lines.length) notification.close();
    else if (lines.some((line) => !before.includes(line)) || lines.length < before.length)
      await show(notification.tag, { ...notification.data, lines }, false);
  }
}

/** @param {Notification} notification
 * @returns {Line[]} */
function linesOf(notification) {
  return notification.data?.lines ?? [];
}

/** Show a test notification, and tell the page that has asked for it.
 * @param {Record<string, any>} push */
async function showTest(push) {
  const options = { body: push.content, tag: "test", icon: "/static/icon.png", data: { hash: "#inbox" } };
  await worker.registration.showNotification(push.realm_name, options);
  const pages = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  for (const page of pages) page.postMessage({ shown: "test" });
}

/** @param {Record<string, any>} push */
function topicHash(push) {
  const channel = encodeURIComponent(push.channel_name).replaceAll("%", ".");
  const topic = encodeURIComponent(push.topic).replaceAll(".", "%2E").replaceAll("%", ".");
  return `#narrow/channel/${push.channel_id}-${channel}/topic/${topic}/near/${push.message_id}`;
}

/** @param {string} path
 * @param {Record<string, string>} parameters */
function call(path, parameters) {
  return fetch(path, { method: "POST", body: new URLSearchParams(parameters) });
}

/** @param {Pick<Notification, "data">} notification */
async function openMessage({ data: { hash } }) {
  const pages = await worker.clients.matchAll({ type: "window" });
  const page = pages.find((each) => each.visibilityState === "visible") ?? pages[0];
  if (!page) return worker.clients.openWindow(`/${hash}`);
  await page.focus();
  return page.postMessage({ hash });
}
