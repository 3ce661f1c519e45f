/** Web push of this browser: its subscription, and a test notification that shows how far the way works. */

import { get, post, remove } from "../core/api.js";

/** @typedef {"allowed" | "sent" | "shown"} Station on the way of a notification
 * @typedef {{failed?: Station, seconds: number}} TestResult `failed` is the first station that it did not reach */

const MAX_WAIT_MS = 30_000;

/** Whether this browser can be reached while the page is closed. On iOS it can only as an installed app. */
export function canPush() {
  return "PushManager" in window && "Notification" in window && "serviceWorker" in navigator;
}

/** Subscribe this browser. The permission was given before.
 * @param {ServiceWorkerRegistration} worker
 * @returns {Promise<string>} its endpoint */
export async function subscribe(worker) {
  const { public_key: applicationServerKey } = await get("/web_push/key");
  const options = { userVisibleOnly: true, applicationServerKey };
  const subscription = await worker.pushManager.subscribe(options).catch(async (error) => {
    const old = await worker.pushManager.getSubscription(); // with the key of another server at this address
    if (!(await old?.unsubscribe())) throw error;
    return worker.pushManager.subscribe(options);
  });
  const { endpoint = "", keys } = subscription.toJSON();
  await post("/web_push/subscriptions", { endpoint, p256dh: keys?.p256dh, auth: keys?.auth });
  return endpoint;
}

/** @param {ServiceWorkerRegistration} worker */
export async function unsubscribe(worker) {
  const subscription = await worker.pushManager.getSubscription();
  if (!subscription) return;
  await remove("/web_push/subscriptions", { endpoint: subscription.endpoint });
  await subscription.unsubscribe();
}

/** Ask for the permission, subscribe this browser, and have the server send it a notification. Call it in a tap.
 * @returns {Promise<TestResult>} */
export async function testPush() {
  if (!canPush()) return { failed: "sent", seconds: 0 };
  if ((await Notification.requestPermission()) !== "granted") return { failed: "allowed", seconds: 0 };
  const startedAt = Date.now();
  const shown = waitForTest();
  const failed = (await sendTest()) ? ((await shown) ? undefined : "shown") : "sent";
  return { failed, seconds: Math.max(1, Math.round((Date.now() - startedAt) / 1000)) };
}

/** @returns {Promise<boolean>} whether the push service has accepted it */
async function sendTest() {
  try {
    const worker = await Promise.race([navigator.serviceWorker.ready, timeout()]);
    if (!worker) return false;
    const { status } = await post("/web_push/test", { endpoint: await subscribe(worker) });
    return status >= 200 && status < 300;
  } catch {
    return false;
  }
}

/** Wait until the service worker says that it has shown the test notification. */
function waitForTest() {
  const arrived = new Promise((resolve) => {
    navigator.serviceWorker.addEventListener("message", ({ data }) => data?.shown === "test" && resolve(true), {
      signal: AbortSignal.timeout(MAX_WAIT_MS),
    });
  });
  return Promise.race([arrived, timeout()]);
}

/** @returns {Promise<undefined>} */
function timeout() {
  return new Promise((resolve) => {
    setTimeout(resolve, MAX_WAIT_MS);
  });
}
