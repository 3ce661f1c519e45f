/** Rows of the settings: notifications in this browser while the page is closed, and a test of them. */

import { h } from "../core/html.js";
import { t } from "../core/i18n.js";
import { lazy } from "../core/lazy.js";
import { actionButton, settingRow } from "./forms.js";

/** The switch for this browser and a test, or a note where web push is not available.
 * @returns {Promise<HTMLElement[]>} */
export async function pushRows() {
  const worker = "PushManager" in window ? await navigator.serviceWorker?.getRegistration() : undefined;
  if (!worker) return [h("p", { class: "quiet" }, t("push.unable"))];
  const current = await worker.pushManager.getSubscription();
  const toggle = settingRow({
    name: "web-push",
    label: t("push.here"),
    value: current !== null,
    save: async (isOn) => {
      if (!isOn) return (await lazy("phone", "unsubscribe"))(worker);
      if ((await Notification.requestPermission()) !== "granted") throw new Error(t("notify.denied"));
      return (await lazy("phone", "subscribe"))(worker);
    },
  });
  const slot = h("div", {});
  const test = async () => {
    await (await lazy("phone", "showTest"))(slot, () => slot.replaceChildren());
    return "";
  };
  return [toggle, actionButton(t("phone.test-do"), test), slot];
}
