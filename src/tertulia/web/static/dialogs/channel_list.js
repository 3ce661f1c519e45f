/** All channels one may see: find, join, leave, make one. */

import { attempt, joinChannel, leaveChannel } from "../views/message_actions.js";
import { post } from "../core/api.js";
import { channelNamed, channels, sortedFolders } from "../state/channels.js";
import { plain } from "../state/typeahead_sources.js";
import { plainText } from "../views/rendered_content.js";
import { fill, h } from "../core/html.js";
import { drop } from "../views/avatars.js";
import { known } from "../state/session.js";
import { channelHash } from "../state/narrow.js";
import { on, oneAtATime } from "../core/signals.js";
import { toast } from "../views/layout.js";
import { say } from "../core/i18n.js";
import { channelSettings } from "./channel_settings.js";
import { boundToAddress, openDialog } from "./dialog.js";
import { groupChoices } from "./forms.js";

const PRIVACY = ["public", "private", "protected", "web-public"];

/** @param {{rest?: string[]}} [place] */
export function showChannels(place) {
  const [what = "", , page] = place?.rest ?? [];
  if (what === "new") return newChannel();
  if (/^\d+$/.test(what) && channels.has(Number(what))) return channelSettings({ element: h("i", { "data-channel": what }) }, page);
  const list = h("ul", { class: "plain kept channels-list" });
  const field = h("input", { class: "f", type: "search", "aria-label": say("channels.find"), placeholder: say("channels.find") });
  const draw = () => {
    const query = plain(field.value);
    const found = [...channels.values()].filter((channel) => !channel.is_archived && plain(`${channel.name} ${channel.description}`).includes(query)).sort((a, b) => a.name.localeCompare(b.name));
    const focused = list.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement).dataset.key : undefined;
    fill(list, ...found.slice(0, 300).map((channel) => channelRow(channel)));
    if (focused) /** @type {HTMLElement | null} */ (list.querySelector(`[data-key="${focused}"]`))?.focus();
  };
  field.addEventListener("input", draw);
  const stop = on("channels", draw);
  const make = known.can_create_streams !== false && h("button", { class: "b go", type: "button", onclick: () => { dialog.close(); newChannel(); } }, say("channels.new"));
  const dialog = openDialog(say("channels.title"), [field, list], { footer: [make] });
  dialog.addEventListener("close", stop);
  if (location.hash.startsWith("#channels")) boundToAddress(dialog);
  draw();
  return dialog;
}

/** @param {import("../state/channels.js").Channel} channel */
function channelRow(channel) {
  const id = channel.stream_id;
  const join = h("button", { class: "b", type: "button", "data-key": id, onclick: () => channel.subscribed ? attempt(leaveChannel(id)) : attempt(joinChannel(id)) }, say(channel.subscribed ? "channels.leave" : "channel.join"));
  const about = plainText(channel.rendered_description ?? "");
  return h("li", {}, drop(id), h("div", { class: "of" }, h("a", { href: channelHash(id) }, h("bdi", {}, channel.name)), " ",
    h("small", {}, say("channels.people", { count: channel.subscriber_count ?? 0 })), about && h("p", { class: "cut", dir: "auto" }, about)), join);
}

/** Leave a dialog for a channel, as soon as we hear of it.
 * @param {string} name
 * @param {HTMLDialogElement} dialog */
function goTo(name, dialog) {
  const made = channelNamed(name);
  if (!dialog.open) return;
  if (!made) {
    const stop = on("channels", () => { stop(); goTo(name, dialog); });
    return;
  }
  if (dialog.dataset.address) location.replace(channelHash(made.stream_id)); // in place of the dialog's own address
  else location.hash = channelHash(made.stream_id);
  dialog.close();
}

/** Make a channel, with all of its permissions. */
export function newChannel() {
  const name = h("input", { class: "f", "aria-label": say("channels.name"), maxlength: 60, required: true, dir: "auto" });
  const description = h("textarea", { class: "f", rows: 2, "aria-label": say("channels.description"), maxlength: 1024, dir: "auto" });
  const privacy = PRIVACY.map((each, at) => h("label", { class: "choice" }, h("input", { type: "radio", name: "privacy", value: each, checked: at === 0 }), h("span", {}, say(`privacy.${each}`)), h("span", { class: "hint" }, say(`privacy.${each}-text`))));
  const folder = h("select", { class: "f", "aria-label": say("channels.folder") }, h("option", { value: "" }, say("org.none")), ...sortedFolders().map((each) => h("option", { value: each.id }, each.name)));
  const announce = h("input", { type: "checkbox", checked: true });
  const groups = ["can_send_message_group", "can_add_subscribers_group", "can_administer_channel_group", "can_remove_subscribers_group", "can_subscribe_group"];
  const permissions = groups.map((each) => h("select", { class: "f", name: each, "aria-label": say(`channel.${each}`) }, h("option", { value: "" }, say("channels.usual")), ...groupChoices().map(([id, text]) => h("option", { value: id }, text))));
  const form = h("form", { class: "fields", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); makeOnce(); } },
    h("label", { class: "field" }, say("channels.name"), name), h("label", { class: "field" }, say("channels.description"), description),
    h("fieldset", {}, h("legend", {}, say("channels.who")), ...privacy), h("label", { class: "field" }, say("channels.folder"), folder),
    h("label", { class: "choice" }, announce, say("channels.announce")),
    h("details", {}, h("summary", {}, say("channels.permissions")), ...permissions.map((select, at) => h("label", { class: "field" }, say(`channel.${groups[at]}`), select))),
    h("button", { class: "b go" }, say("channels.create")));
  const dialog = openDialog(say("channels.new"), [form]);
  if (location.hash === "#channels/new") boundToAddress(dialog);

  const makeOnce = oneAtATime(make);

  async function make() {
    const kind = new FormData(form).get("privacy");
    const chosen = Object.fromEntries(permissions.filter((select) => select.value).map((select) => [select.name, Number(select.value)]));
    try {
      await post("/users/me/subscriptions", { subscriptions: [{ name: name.value.trim(), description: description.value }], announce: announce.checked,
        invite_only: kind === "private" || kind === "protected", history_public_to_subscribers: kind !== "protected", is_web_public: kind === "web-public",
        ...(folder.value && { folder_id: Number(folder.value) }), ...chosen });
      goTo(name.value.trim(), dialog);
    } catch (error) {
      toast(/** @type {Error} */ (error).message);
    }
  }
  return dialog;
}
