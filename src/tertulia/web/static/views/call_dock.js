/** The dock of a call: where it is, who speaks, and the way out, while the person reads elsewhere. */

import { h, icon, iconButton, setChildren } from "../core/html.js";
import { formatList, t } from "../core/i18n.js";
import { titleOf } from "../state/conversations.js";
import { conversationHash } from "../state/narrow.js";
import { nameOf } from "../state/people.js";
import { avatar } from "./avatars.js";
import { isPhone, region } from "./layout.js";
import { clockTime } from "./time.js";

/** @typedef {import("./call_view.js").OpenCall} OpenCall */

/** Show what a button would do, and whether it has been done.
 * @param {HTMLElement} button
 * @param {string} sign
 * @param {string} name
 * @param {boolean} isOn */
export function setToggle(button, sign, name, isOn) {
  const label = button.querySelector("span");
  button.setAttribute("aria-pressed", String(isOn));
  button.querySelector(".i")?.replaceWith(icon(sign));
  if (label) label.textContent = name;
  else {
    button.title = name;
    button.setAttribute("aria-label", name);
  }
}

/** @param {OpenCall} open
 * @param {HTMLElement} mute
 * @param {HTMLElement} screen */
export function drawToggles({ isMuted, picture, me }, mute, screen) {
  setToggle(mute, isMuted ? "mic-off" : "mic", t(isMuted ? "call.unmute" : "call.mute"), isMuted);
  setToggle(screen, "screen", t("call.screen"), Boolean(picture && me?.screen));
}

/** Three bars: somebody speaks. */
export function bars() {
  return h("span", { class: "bars", "aria-hidden": "true" }, h("i"), h("i"), h("i"));
}

export class CallDock {
  #open;
  #title = h("bdi");
  #time = h("time");
  #line = h("div", { class: "say" });
  #mute = iconButton("mic", t("call.mute"), { "aria-keyshortcuts": "Alt+M", onclick: () => this.#open.toggleMute() });
  #screen = iconButton("screen", t("call.screen"), { onclick: () => this.#open.showPicture("screen") });
  #link = h("a", { class: "to-call" }, icon("phone", "s"), h("b", { class: "cut" }, this.#title), this.#time);
  #shown = "";
  #element;

  /** @param {OpenCall} open */
  constructor(open) {
    this.#open = open;
    const leave = h(
      "button",
      { class: "b", type: "button", onclick: () => open.leave() },
      icon("hang", "s"),
      t("call.leave"),
    );
    this.#element = h(
      "section",
      { class: "dock", "aria-label": t("call.yours") },
      this.#link,
      this.#line,
      h("div", { class: "go-row" }, this.#mute, this.#screen, leave),
    );
  }

  draw() {
    const { conversation, call } = this.#open;
    this.#link.href = conversationHash(conversation, call.message_id);
    this.#title.textContent = titleOf(conversation);
    drawToggles(this.#open, this.#mute, this.#screen);
    if (!this.#element.isConnected) {
      if (isPhone()) document.body.append(this.#element);
      else region(".side .foot").before(this.#element);
    }
    this.tick();
  }

  tick() {
    if (!this.#element.isConnected) return;
    const { speakers, call, isMuted, seconds, mesh } = this.#open;
    this.#time.textContent = clockTime(seconds);
    const people = call.participants.filter((each) => speakers.has(each.session_id)).map((each) => each.user_id);
    const isLost = [...mesh.peers.values()].some((peer) => peer.connection.connectionState === "disconnected");
    const key = JSON.stringify([people, isMuted, isLost]);
    if (key === this.#shown) return;
    this.#shown = key;
    if (isLost) setChildren(this.#line, icon("off", "s"), t("call.reconnecting"));
    else if (people.length)
      setChildren(
        this.#line,
        avatar(people[0]),
        t("call.is-speaking", { name: formatList(people.map(nameOf)) }),
        bars(),
      );
    else setChildren(this.#line, isMuted && icon("mic-off", "s"), isMuted && t("call.you-muted"));
  }

  remove() {
    this.#element.remove();
  }
}
