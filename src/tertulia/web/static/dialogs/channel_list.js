/** The list of channels: find, join, leave, create. */

import { withErrorToast, joinChannel, leaveChannel } from "../views/message_actions.js";
import { post } from "../core/api.js";
import { findChannel, channels, sortedFolders } from "../state/channels.js";
import { normalizeText } from "../state/name_match.js";
import { plainText } from "../views/rendered_content.js";
import { setChildren, h } from "../core/html.js";
import { channelDot } from "../views/avatars.js";
import { state } from "../state/session.js";
import { channelHash } from "../state/narrow.js";
import { mayJoin } from "../state/write_access.js";
import { oneAtATime } from "../core/signals.js";
import { toast } from "../views/layout.js";
import { t } from "../core/i18n.js";
import { channelSettings } from "./channel_settings.js";
import { bindToAddress, openDialog, scopeOf } from "./dialog.js";
import { defaultForChannels, groupsForChannels, PermissionField } from "./permission_field.js";

const PRIVACY = ["public", "private", "protected", "web-public"];

/** @param {{rest?: string[]}} [route] */
export function showChannels(route) {
  const [what = "", ...rest] = route?.rest ?? [];
  const page = rest.at(-1); // Zulip's addresses have the name of the channel before it
  if (what === "new") return newChannel();
  if (/^\d+$/.test(what) && channels.has(Number(what)))
    return channelSettings({ element: h("i", { "data-channel": what }) }, page);
  const list = h("ul", { class: "plain kept channels-list" });
  const field = h("input", {
    class: "f",
    type: "search",
    "aria-label": t("channels.find"),
    placeholder: t("channels.find"),
  });
  const draw = () => {
    const query = normalizeText(field.value);
    const found = [...channels.values()]
      .filter(
        (channel) => !channel.is_archived && normalizeText(`${channel.name} ${channel.description}`).includes(query),
      )
      .sort((a, b) => a.name.localeCompare(b.name));
    const focused = list.contains(document.activeElement)
      ? /** @type {HTMLElement} */ (document.activeElement).dataset.key
      : undefined;
    setChildren(list, ...found.slice(0, 300).map((channel) => channelRow(channel)));
    if (focused) /** @type {HTMLElement | null} */ (list.querySelector(`[data-key="${focused}"]`))?.focus();
  };
  field.addEventListener("input", draw);
  const make =
    state.can_create_streams !== false &&
    h(
      "button",
      {
        class: "b go",
        type: "button",
        onclick: () => {
          dialog.close();
          newChannel();
        },
      },
      t("channels.new"),
    );
  const dialog = openDialog(t("view.channels"), [field, list], { footer: [make] });
  scopeOf(dialog).on("channels", draw);
  if (location.hash.startsWith("#channels")) bindToAddress(dialog);
  draw();
  return dialog;
}

/** @param {import("../state/channels.js").Channel} channel */
function channelRow(channel) {
  const id = channel.stream_id;
  const join =
    (channel.subscribed || mayJoin(channel)) &&
    h(
      "button",
      {
        class: "b",
        type: "button",
        "data-key": id,
        onclick: () => (channel.subscribed ? withErrorToast(leaveChannel(id)) : withErrorToast(joinChannel(id))),
      },
      t(channel.subscribed ? "channels.leave" : "channels.join"),
    );
  const about = plainText(channel.rendered_description ?? "");
  return h(
    "li",
    {},
    channelDot(id),
    h(
      "div",
      { class: "of" },
      h("a", { href: channelHash(id) }, h("bdi", {}, channel.name)),
      " ",
      h("small", {}, t("channels.people", { count: channel.subscriber_count ?? 0 })),
      about && h("p", { class: "cut", dir: "auto" }, about),
    ),
    join,
  );
}

/** Close the dialog and go to a channel, as soon as its event has arrived.
 * @param {string} name
 * @param {HTMLDialogElement} dialog */
function goTo(name, dialog) {
  const made = findChannel(name);
  if (!dialog.open) return;
  if (!made) {
    const scope = scopeOf(dialog);
    scope.on("channels", () => {
      scope.close();
      goTo(name, dialog);
    });
    return;
  }
  if (dialog.dataset.address)
    location.replace(channelHash(made.stream_id)); // replaces the dialog's address in the history
  else location.hash = channelHash(made.stream_id);
  dialog.close();
}

/** The dialog that creates a channel, with its permissions. */
export function newChannel() {
  const name = h("input", { class: "f", "aria-label": t("label.name"), maxlength: 60, required: true, dir: "auto" });
  const description = h("textarea", {
    class: "f",
    rows: 2,
    "aria-label": t("channels.description"),
    maxlength: 1024,
    dir: "auto",
  });
  const privacy = PRIVACY.map((each, at) =>
    h(
      "label",
      { class: "choice" },
      h("input", { type: "radio", name: "privacy", value: each, checked: at === 0 }),
      h("span", {}, t(`privacy.${each}`)),
      h("span", { class: "hint" }, t(`privacy.${each}-text`)),
    ),
  );
  const folder = h(
    "select",
    { class: "f", "aria-label": t("channels.folder") },
    h("option", { value: "" }, t("org.none")),
    ...sortedFolders().map((each) => h("option", { value: each.id }, each.name)),
  );
  const announce = h("input", { type: "checkbox", checked: true });
  const groups = [
    "can_send_message_group",
    "can_add_subscribers_group",
    "can_administer_channel_group",
    "can_remove_subscribers_group",
    "can_subscribe_group",
  ];
  const chosen = /** @type {Record<string, import("../state/types.d.ts").Permission>} */ ({});
  const permissions = groups.map((each) =>
    h(
      "div",
      { class: "field" },
      h("label", { for: each }, t(`channel.${each}`)),
      new PermissionField({
        id: each,
        label: t(`channel.${each}`),
        value: defaultForChannels(each),
        groups: groupsForChannels(each),
        change: (value) => {
          chosen[each] = value;
        },
      }).element,
    ),
  );
  const form = h(
    "form",
    {
      class: "fields",
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        makeOnce();
      },
    },
    h("label", { class: "field" }, t("label.name"), name),
    h("label", { class: "field" }, t("channels.description"), description),
    h("fieldset", {}, h("legend", {}, t("channels.who")), ...privacy),
    h("label", { class: "field" }, t("channels.folder"), folder),
    h("label", { class: "choice" }, announce, t("channels.announce")),
    h("details", {}, h("summary", {}, t("channels.permissions")), ...permissions),
    h("button", { class: "b go" }, t("channels.create")),
  );
  const dialog = openDialog(t("channels.new"), [form]);
  if (location.hash === "#channels/new") bindToAddress(dialog);

  const makeOnce = oneAtATime(make);

  async function make() {
    const kind = new FormData(form).get("privacy");
    try {
      await post("/users/me/subscriptions", {
        subscriptions: [{ name: name.value.trim(), description: description.value }],
        announce: announce.checked,
        invite_only: kind === "private" || kind === "protected",
        history_public_to_subscribers: kind !== "protected",
        is_web_public: kind === "web-public",
        ...(folder.value && { folder_id: Number(folder.value) }),
        ...chosen,
      });
      goTo(name.value.trim(), dialog);
    } catch (error) {
      toast(/** @type {Error} */ (error).message);
    }
  }
  return dialog;
}
