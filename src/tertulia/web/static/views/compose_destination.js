/** The line above the text of a compose box: where the message goes. It is a button that opens a list of topics,
 * channels and people. Choosing one keeps text, caret and files. */

import { h, icon, setChildren } from "../core/html.js";
import { t } from "../core/i18n.js";
import { channelName } from "../state/channels.js";
import { titleOf } from "../state/conversations.js";
import { findDestinations, matchedPieces, recentDestinations } from "../state/destinations.js";
import { closedReason } from "../state/write_access.js";
import { avatar, channelDot } from "./avatars.js";
import { isSameTarget } from "./compose.js";
import { destinationHint, destinationIcon, fetchRecentTopics, hitRow } from "./switcher.js";

/** @typedef {import("./compose.js").ComposeBox} ComposeBox */
/** @typedef {import("./compose.js").Target} Target */
/** @typedef {import("../state/destinations.js").Destination} Destination */
/** @typedef {{element: HTMLElement, target: Target}} Choice */

const MAX_FOUND = 8;
const MAX_RECENT = 6;

export class ComposeDestination {
  #compose;
  #button = h("button", { class: "dest", type: "button", "aria-haspopup": "dialog", "aria-expanded": "false" });
  /** @type {DestinationList | undefined} */
  #list;
  element = h("div", { class: "to" }, this.#button);

  /** @param {ComposeBox} compose */
  constructor(compose) {
    this.#compose = compose;
    this.#button.addEventListener("click", () => (this.#list ? this.close() : this.#open()));
    this.draw();
  }

  /** Name the conversation. Where a topic has to be entered, the box has a field for it after the button. */
  draw() {
    const { target, topic } = this.#compose;
    const name =
      "people" in target
        ? [avatar(target.people[0]), h("b", { class: "cut" }, h("bdi", {}, titleOf(target)))]
        : [
            channelDot(target.channel),
            h("span", { class: "cut" }, h("bdi", {}, channelName(target.channel))),
            ...(target.topic === null
              ? []
              : [
                  icon("right", "s flip"),
                  h("b", { class: "cut" }, h("bdi", {}, titleOf({ channel: target.channel, topic: target.topic }))),
                ]),
          ];
    setChildren(this.#button, ...name, icon("down", "s"));
    this.#button.title = t("destination.change");
    if (topic && this.element.contains(topic)) return; // a person may be writing in it
    setChildren(this.element, this.#button, topic && h("span", { class: "quiet", "aria-hidden": "true" }, "›"), topic);
  }

  close() {
    const list = this.#list;
    this.#list = undefined;
    list?.element.remove(); // the focus leaves it, which closes it, too
    this.#button.setAttribute("aria-expanded", "false");
    this.#button.classList.remove("on");
  }

  #open() {
    this.#list = new DestinationList(
      this.#compose,
      (target) => {
        this.close();
        if (target) this.#compose.retarget(target);
        (target ? (this.#compose.topic ?? this.#compose.box) : this.#button).focus();
      },
      () => this.close(),
    );
    this.#button.setAttribute("aria-expanded", "true");
    this.#button.classList.add("on");
    this.element.closest(".anchor")?.append(this.#list.element);
    this.#list.start();
  }
}

class DestinationList {
  #compose;
  #done;
  #input = h("input", {
    type: "text",
    role: "combobox",
    "aria-label": t("destination.field"),
    "aria-expanded": "true",
    "aria-controls": "destinations",
    "aria-autocomplete": "list",
    placeholder: t("destination.field"),
    autocomplete: "off",
    spellcheck: "false",
  });
  #hits = h("div", {
    class: "hits",
    role: "listbox",
    id: "destinations",
    "aria-label": t("destination.title"),
    tabindex: -1,
  });
  /** @type {Choice[]} */
  #choices = [];
  #chosen = 0;
  element = h(
    "div",
    { class: "pop where", role: "dialog", "aria-label": t("destination.title") },
    h("div", { class: "big-find" }, icon("search", "s"), this.#input),
    this.#hits,
  );

  /** @param {ComposeBox} compose
   * @param {(target: Target | undefined) => void} done with what was chosen, if something was
   * @param {() => void} leave the focus went elsewhere */
  constructor(compose, done, leave) {
    this.#compose = compose;
    this.#done = done;
    this.#input.addEventListener("input", () => this.#draw());
    this.element.addEventListener("keydown", (event) => this.#onKey(event));
    this.element.addEventListener("focusout", (event) => {
      const next = event.relatedTarget;
      if (!(next instanceof Node && this.element.contains(next)) && !(next instanceof Element && next.closest(".dest")))
        leave();
    });
    this.#hits.addEventListener("mousedown", (event) => event.preventDefault()); // the field keeps the focus
    this.#hits.addEventListener("click", (event) => {
      const row = /** @type {Element} */ (event.target).closest(".hit");
      const choice = this.#choices.find(({ element }) => element === row);
      if (choice) done(choice.target);
    });
  }

  start() {
    this.#draw();
    this.#input.focus();
    fetchRecentTopics();
  }

  #draw() {
    const text = this.#input.value.trim();
    const found = text
      ? findDestinations(text, 3 * MAX_FOUND)
      : recentDestinations().map(({ destination }) => destination);
    this.#choices = [];
    for (const destination of found) {
      const target = targetOf(destination);
      if (!target || closedReason(target) || this.#choices.length >= (text ? MAX_FOUND : MAX_RECENT)) continue;
      const pieces = text
        ? matchedPieces(destination.name, text).map((piece, at) => (at % 2 ? h("b", { class: "m" }, piece) : piece))
        : [destination.name];
      this.#add(
        target,
        destination.kind === "topic" ? "topic" : "",
        destinationIcon(destination),
        pieces,
        destinationHint(destination, undefined),
      );
    }
    this.#offerNewTopic(text);
    setChildren(this.#hits, ...this.#choices.map(({ element }) => element));
    if (!this.#choices.length) setChildren(this.#hits, h("p", { class: "none" }, t("destination.none")));
    this.#choose(0);
  }

  /** The text as the name of a new topic in the channel of the box.
   * @param {string} text */
  #offerNewTopic(text) {
    const { target } = this.#compose;
    if (!text || !("channel" in target)) return;
    const conversation = { channel: target.channel, topic: text };
    if (this.#choices.some((each) => isSameTarget(each.target, conversation))) return;
    this.#add(
      conversation,
      "",
      icon("plus"),
      [t("destination.new-topic", { topic: text, channel: channelName(target.channel) })],
      false,
    );
  }

  /** @param {Target} target
   * @param {string} classes
   * @param {Element} lead
   * @param {(string | HTMLElement)[]} name
   * @param {import("../core/html.js").Child} hint */
  #add(target, classes, lead, name, hint) {
    const element = hitRow({ id: `destination-${this.#choices.length}` }, classes, lead, name, [hint]);
    this.#choices.push({ element, target });
  }

  /** @param {number} at */
  #choose(at) {
    this.#choices[this.#chosen]?.element.setAttribute("aria-selected", "false");
    this.#chosen = at;
    const element = this.#choices[at]?.element;
    element?.setAttribute("aria-selected", "true");
    element?.scrollIntoView({ block: "nearest" });
    this.#input.setAttribute("aria-activedescendant", element?.id ?? "");
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.isComposing) return;
    const count = this.#choices.length;
    if (event.key === "ArrowDown" && count) this.#choose((this.#chosen + 1) % count);
    else if (event.key === "ArrowUp" && count) this.#choose((this.#chosen + count - 1) % count);
    else if (event.key === "Enter" && count) this.#done(this.#choices[this.#chosen].target);
    else if (event.key === "Escape") this.#done(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

/** @param {Destination} destination
 * @returns {Target | undefined} undefined for a view */
function targetOf({ people, channel, topic }) {
  if (people) return { people };
  return channel === undefined ? undefined : { channel, topic: topic ?? null };
}
