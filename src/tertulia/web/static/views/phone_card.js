/** The card of the inbox that leads from the browser of a phone to an app that rings: it installs the page, then
 * tests whether notifications arrive, and says what to do if they do not. */

import { h, icon, iconButton, setChildren } from "../core/html.js";
import { currentLanguage, t } from "../core/i18n.js";
import { acceptInstallOffer, hasInstallOffer } from "../state/installation.js";
import { myId, realm } from "../state/session.js";
import { canPush, testPush } from "../sync/push_subscription.js";

/** @typedef {import("../sync/push_subscription.js").Station} Station */
/** @typedef {"insecure" | "install" | "ios" | "test"} Step */
/** @typedef {{at: number, times: number, isHidden: boolean}} Showing when the card was shown first lately, and how
 *   often in all */

const DAY_MS = 24 * 3600 * 1000;
const MAX_TIMES = 3;
/** @type {Station[]} */
const STATIONS = ["allowed", "sent", "shown"];
/** What to do, by the station that was not reached.
 * @type {Record<Station, `phone.do.${string}`[]>} */
const ADVICE = {
  allowed: ["phone.do.allow"],
  sent: ["phone.do.service"],
  shown: ["phone.do.focus", "phone.do.banners", "phone.do.battery"],
};

/** Show the card that this phone needs, if it needs one. It changes when the browser offers to install the page.
 * @param {HTMLElement} slot
 * @param {import("../core/scope.js").Scope} scope of the view around it */
export function showPhoneCard(slot, scope) {
  drawNextStep(slot);
  scope.on("installOffer", () => drawNextStep(slot));
}

/** Test whether notifications arrive, and show the result. Call it in a tap.
 * @param {HTMLElement} slot
 * @param {() => void} close */
export async function showTest(slot, close) {
  setChildren(slot, card(t("phone.sending"), "", close));
  const { failed, seconds } = await testPush();
  if (!failed) hide("test", true);
  setChildren(slot, failed ? failedCard(failed, slot, close) : arrivedCard(seconds, close));
  if (document.activeElement === document.body)
    /** @type {HTMLElement | null} */ (slot.querySelector(".acts > *"))?.focus();
}

/** @param {HTMLElement} slot */
function drawNextStep(slot) {
  const step = nextStep();
  setChildren(slot, step && isDue(step) ? CARDS[step](slot, (forGood) => close(slot, step, forGood)) : null);
}

/** @returns {Step | undefined} */
function nextStep() {
  if (!isSecureContext) return "insecure";
  if (isInstalled()) return canPush() ? "test" : undefined;
  if (hasInstallOffer()) return "install";
  if (isIos()) return "ios";
  // a browser that offers installation, and does not now, has the app already
  return canPush() && !("onbeforeinstallprompt" in window) ? "test" : undefined;
}

export function isInstalled() {
  return (
    matchMedia("(display-mode: standalone)").matches ||
    /** @type {{standalone?: boolean}} */ (navigator).standalone === true
  );
}

/** Whether this is an iPhone or an iPad; the latter calls itself a Mac. */
function isIos() {
  const agent = navigator.userAgent;
  return /iPhone|iPad|iPod/.test(agent) || (agent.includes("Macintosh") && navigator.maxTouchPoints > 1);
}

/** @param {Step} step */
function storageKey(step) {
  return `phone-card-${step}-${myId()}`;
}

/** @param {Step} step
 * @returns {Showing} */
function showingOf(step) {
  return JSON.parse(localStorage.getItem(storageKey(step)) ?? '{"at":0,"times":0,"isHidden":false}');
}

/** Whether to show a card: for a day, then again after a week, until it was hidden or shown three times.
 * @param {Step} step */
function isDue(step) {
  const { at, times, isHidden } = showingOf(step);
  const age = Date.now() - at;
  if (age < DAY_MS) return !isHidden;
  if (age < 7 * DAY_MS || times >= MAX_TIMES) return false;
  localStorage.setItem(storageKey(step), JSON.stringify({ at: Date.now(), times: times + 1, isHidden: false }));
  return true;
}

/** @param {Step} step
 * @param {boolean} forGood */
function hide(step, forGood) {
  const { at, times } = showingOf(step);
  localStorage.setItem(
    storageKey(step),
    JSON.stringify({ at: at || Date.now(), times: forGood ? MAX_TIMES : times, isHidden: true }),
  );
}

/** @param {HTMLElement} slot
 * @param {Step} step
 * @param {boolean} [forGood] */
function close(slot, step, forGood = false) {
  hide(step, forGood);
  setChildren(slot);
}

/** @typedef {(slot: HTMLElement, close: (forGood?: boolean) => void) => HTMLElement} MakeCard */
/** @type {Record<Step, MakeCard>} */
const CARDS = {
  insecure: (_slot, close) => card(t("phone.insecure"), t("phone.insecure-text"), close),
  install: (slot, close) =>
    card(
      t("phone.install", named()),
      t("phone.install-text"),
      close,
      actions(
        button(t("phone.install-do"), () => install(slot), "download"),
        laterButton(close),
      ),
    ),
  ios: (_slot, close) =>
    card(
      t("phone.ios", named()),
      t("phone.ios-text"),
      close,
      h(
        "ol",
        { class: "taps" },
        tap(1, t("phone.ios-share"), h("span", { class: "keycap" }, icon("share", "s"))),
        tap(2, t("phone.ios-add")),
        tap(3, t("phone.ios-open", named())),
      ),
      actions(
        button(t("phone.installed"), () => close(true)),
        laterButton(close),
      ),
    ),
  test: (slot, close) =>
    card(
      t("phone.test"),
      t("phone.test-text"),
      close,
      actions(
        button(t("phone.test-do"), () => showTest(slot, close), "bell"),
        laterButton(close),
      ),
    ),
};

/** After an installation the test follows: the app and the browser share the subscription.
 * @param {HTMLElement} slot */
async function install(slot) {
  const isInstalling = await acceptInstallOffer();
  hide("install", isInstalling);
  setChildren(slot, isInstalling ? CARDS.test(slot, (forGood) => close(slot, "test", forGood)) : null);
}

/** @param {number} seconds
 * @param {() => void} close */
function arrivedCard(seconds, close) {
  const time = new Date().toLocaleTimeString(currentLanguage());
  return card(
    t("phone.arrived"),
    t("phone.arrived-text", { count: seconds, time }),
    close,
    stations(),
    actions(
      h("a", { class: "b", href: "#settings/notifications" }, t("phone.settings")),
      h("button", { class: "b bare", type: "button", onclick: close }, t("content.hide")),
    ),
  );
}

/** @param {Station} failed
 * @param {HTMLElement} slot
 * @param {() => void} close */
function failedCard(failed, slot, close) {
  const isOff = failed === "allowed";
  return card(
    t(isOff ? "phone.off" : "phone.missing"),
    isOff ? t("phone.off-text", named()) : t(failed === "shown" ? "phone.waited-text" : "phone.missing-text"),
    close,
    stations(failed),
    h("ol", { class: "advice" }, ...ADVICE[failed].map((key) => h("li", {}, t(key, named())))),
    actions(
      button(t("phone.again"), () => showTest(slot, close)),
      realm("push_servers_allowed") && h("a", { class: "b", href: "#settings/notifications" }, t("phone.ntfy")),
    ),
  );
}

/** The stations of a notification, up to the first one that it did not reach.
 * @param {Station} [failed] */
function stations(failed) {
  const reached = failed ? STATIONS.slice(0, STATIONS.indexOf(failed)) : STATIONS;
  const row = (/** @type {boolean} */ isGood, /** @type {string} */ text) =>
    h(
      "li",
      { class: isGood ? "ok" : "bad" },
      icon(isGood ? "check" : "alert", "s"),
      h("span", {}, text, h("span", { class: "hidden" }, ` (${t(isGood ? "phone.done" : "phone.failed")})`)),
    );
  return h(
    "ul",
    { class: "trail" },
    ...reached.map((each) => row(true, t(`phone.station.${each}`))),
    failed ? row(false, t(`phone.station.not-${failed}`)) : null,
  );
}

/** @param {string} title
 * @param {string} text
 * @param {() => void} close
 * @param {...(import("../core/html.js").Child)} parts */
function card(title, text, close, ...parts) {
  return h(
    "section",
    { class: "onphone", "aria-label": title },
    h(
      "header",
      {},
      h("div", { role: "status" }, h("h2", {}, title), h("p", {}, text)),
      iconButton("close", t("content.hide"), { onclick: () => close() }),
    ),
    ...parts,
  );
}

/** @param {number} number
 * @param {...(import("../core/html.js").Child)} words */
function tap(number, ...words) {
  return h(
    "li",
    {},
    h("span", { class: "num-o", "aria-hidden": "true" }, String(number)),
    h("span", {}, words[0], " ", words[1]),
  );
}

/** @param {...import("../core/html.js").Child} buttons */
function actions(...buttons) {
  return h("div", { class: "acts" }, ...buttons);
}

/** @param {string} text
 * @param {() => unknown} onclick
 * @param {string} [iconName] */
function button(text, onclick, iconName) {
  return h("button", { class: "b go", type: "button", onclick }, iconName && icon(iconName, "s"), text);
}

/** @param {(forGood?: boolean) => void} close */
function laterButton(close) {
  return h("button", { class: "b bare", type: "button", onclick: () => close() }, t("phone.later"));
}

function named() {
  return { name: realm("name") ?? "" };
}
