/** Web push: notifications while the page is closed. */

import { get, post, remove } from "../core/api.js";
import { h } from "../core/html.js";
import { t } from "../core/i18n.js";
import { settingRow } from "./forms.js";

/** The switch for this browser, or a note where web push is not available.
 * @returns {Promise<HTMLElement | false>} */
export async function pushRow() {
  if (!("PushManager" in window) || !navigator.serviceWorker) return h("p", { class: "quiet" }, t("push.unable"));
  const worker = await navigator.serviceWorker.getRegistration();
  if (!worker) return h("p", { class: "quiet" }, t("push.unable"));
  const current = await worker.pushManager.getSubscription();
  return settingRow({
    name: "web-push",
    label: t("push.here"),
    value: current !== null,
    save: (isOn) => (isOn ? subscribe(worker) : unsubscribe(worker)),
  });
}

/** @param {ServiceWorkerRegistration} worker */
async function subscribe(worker) {
  if ((await Notification.requestPermission()) !== "granted") throw new Error(t("notify.denied"));
  const { public_key: key } = await get("/web_push/key");
  const subscription = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  const { endpoint, keys } = subscription.toJSON();
  await post("/web_push/subscriptions", { endpoint, p256dh: keys?.p256dh, auth: keys?.auth });
}

/** @param {ServiceWorkerRegistration} worker */
async function unsubscribe(worker) {
  const subscription = await worker.pushManager.getSubscription();
  if (!subscription) return;
  await remove("/web_push/subscriptions", { endpoint: subscription.endpoint });
  await subscription.unsubscribe();
}
