/** The box to write in: the next line of the conversation, in the same grid. */

import { post } from "./api.js";
import { channelName } from "./channels.js";
import { isInChannel, titleOf } from "./conversations.js";
import { fill, h } from "./html.js";
import { drop, face } from "./marks.js";
import { myId, setting } from "./me.js";
import { nameOf } from "./people.js";
import { toast } from "./stage.js";
import { say } from "./words.js";

/** @typedef {{channel: number, topic: string | null} | {people: number[]}} Target `topic` is null where it is to be chosen */

/** @type {{target: Target, box: HTMLTextAreaElement, topic: HTMLInputElement | null, send(): Promise<void>} | null} */
let composing = null;

/** The open box, for those who put something into it. */
export function openBox() {
  return composing?.box.isConnected ? composing : null;
}

/** Put a box into the foot of a view.
 * @param {HTMLElement} foot
 * @param {Target} target */
export function composeFor(foot, target) {
  const box = h("textarea", { dir: "auto", rows: 2, "aria-label": say("compose.to", { where: placeName(target) }) });
  const topic = "channel" in target && target.topic === null ? h("input", { class: "bare", "aria-label": say("compose.topic"), dir: "auto", maxlength: 60, placeholder: say("compose.topic") }) : null;
  const send = h("button", { class: "b go", type: "button", "data-do": "send" }, say("compose.send"));
  const frame = h("div", { class: "box" }, topic && "channel" in target && destination(target.channel, topic), box,
    h("div", { class: "tools" }, h("span", { class: "end" }, send)));
  const me = h("div", { class: "who not-phone" }, face(myId()), h("span", { class: "id" }, h("span", { class: "name" }, nameOf(myId()))));
  foot.append(h("div", { class: "in" }, me, h("div", { class: "anchor" }, frame)));
  const own = { target, box, topic, send: () => sendFrom(own) };
  composing = own;
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    const wantsSend = setting("enter_sends") ? !event.shiftKey && !event.ctrlKey : event.ctrlKey || event.metaKey;
    if (!wantsSend) return;
    event.preventDefault();
    own.send();
  });
}

/** @param {NonNullable<typeof composing>} own */
async function sendFrom({ target, box, topic }) {
  const content = box.value.trim();
  if (!content) return;
  const to = "people" in target ? { type: "direct", to: target.people } : { type: "channel", to: target.channel, topic: target.topic ?? topic?.value.trim() ?? "" };
  box.value = "";
  try {
    await post("/messages", { ...to, content, read_by_sender: true });
  } catch (error) {
    box.value = content;
    toast(/** @type {Error} */ (error).message);
  }
}

/** @param {Target} target */
function placeName(target) {
  if ("people" in target) return titleOf(target);
  if (target.topic === null) return channelName(target.channel);
  return isInChannel(/** @type {any} */ (target)) ? say("compose.in", { topic: titleOf(/** @type {any} */ (target)), channel: channelName(target.channel) }) : "";
}

/** @param {number} channel
 * @param {HTMLInputElement} topic */
function destination(channel, topic) {
  const label = h("label", { class: "to" });
  fill(label, drop(channel), h("span", {}, channelName(channel)), h("span", { class: "quiet" }, "›"), topic);
  return label;
}
