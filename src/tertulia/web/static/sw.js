/** The service worker: files that never change are kept, and for times without a connection so are
 * the page and the messages that were read last. Whoever logs out takes all of that away. */

const FILES = ["files"];
const SHELL = "tertulia-files";
const READ = "tertulia-read";
const KEPT_ANSWERS = 60;

addEventListener("install", () => skipWaiting());

addEventListener("activate", (event) => {
  event.waitUntil(Promise.all([clients.claim(), forgetOldFiles()]));
});

addEventListener("fetch", (event) => {
  const { request } = event;
  const address = new URL(request.url);
  if (request.method === "POST" && address.pathname === "/logout/") event.waitUntil(caches.delete(READ));
  if (request.method !== "GET" || address.origin !== location.origin) return;
  if (FILES.includes(address.pathname)) event.respondWith(keptFirst(request));
  else if (request.mode === "navigate" && address.pathname === "/") event.respondWith(newestFirst(request, "/"));
  else if (isWorthKeeping(address)) event.respondWith(newestFirst(request, request.url));
});

/** @param {URL} address */
function isWorthKeeping({ pathname }) {
  return pathname === "/json/messages" || /^\/json\/users\/me\/\d+\/topics$/.test(pathname)
    || pathname.startsWith("/user_avatars/") || pathname.startsWith("/user_uploads/thumbnail/") || pathname === "/static/icon.png" || pathname === "/static/emoji.json";
}

async function keptFirst(request) {
  const cache = await caches.open(SHELL);
  const kept = await cache.match(request, { ignoreVary: true });
  if (kept) return kept;
  const answer = await fetch(request);
  if (answer.ok) await cache.put(request, answer.clone());
  return answer;
}

async function newestFirst(request, key) {
  const cache = await caches.open(READ);
  try {
    const answer = await fetch(request);
    if (answer.ok && !answer.redirected) {
      await cache.put(key, answer.clone());
      await trim(cache);
    } else if (key === "/") {
      await caches.delete(READ); // logged out
    }
    return answer;
  } catch (error) {
    const kept = await cache.match(key, { ignoreVary: true });
    if (kept) return kept;
    throw error;
  }
}

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

addEventListener("push", (event) => event.waitUntil(hear(event.data?.json() ?? {})));

addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(goTo(event.notification.data.hash));
});

/** What a push tells: a message, or that some were read elsewhere. */
async function hear(told) {
  if (told.type === "remove") {
    const gone = new Set(told.message_ids);
    for (const each of await registration.getNotifications()) if (gone.has(each.data?.id)) each.close();
    return;
  }
  if (told.type !== "message") return;
  const open = await clients.matchAll({ type: "window" });
  if (open.some((each) => each.focused)) return; // the page shows it itself
  const isDirect = told.recipient_type === "direct";
  const hash = isDirect
    ? `#narrow/dm/${told.recipient_user_ids.filter((id) => id !== told.user_id).join(",") || told.user_id}-dm/near/${told.message_id}`
    : `#narrow/channel/${told.channel_id}-${encodeURIComponent(told.channel_name).replaceAll("%", ".")}/topic/${encodeURIComponent(told.topic).replaceAll(".", "%2E").replaceAll("%", ".")}/near/${told.message_id}`;
  const title = isDirect ? told.sender_full_name : `${told.sender_full_name} · ${told.channel_name} › ${told.topic}`;
  const tag = isDirect ? `dm-${told.recipient_user_ids}` : `topic-${told.channel_id}-${told.topic}`;
  await registration.showNotification(title, { body: told.content, tag, icon: "/static/icon.png", data: { hash, id: told.message_id } });
}

async function goTo(hash) {
  const [open] = await clients.matchAll({ type: "window" });
  if (!open) return clients.openWindow(`/${hash}`);
  await open.focus();
  return open.postMessage({ hash });
}
