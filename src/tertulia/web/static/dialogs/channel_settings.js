/** Settings of a channel: personal, general, permissions, subscribers. */

import { setSubscription } from "../views/message_actions.js";
import { get, patch, post, remove } from "../core/api.js";
import { channels, sortedFolders } from "../state/channels.js";
import { findPeople } from "../state/typeahead_sources.js";
import { setChildren, h, iconButton } from "../core/html.js";
import { avatar, channelDot } from "../views/avatars.js";
import { realm, state } from "../state/session.js";
import { nameOf } from "../state/people.js";
import { t } from "../core/i18n.js";
import { formatLength } from "../views/durations.js";
import { formatFullTime } from "../views/time.js";
import { channelSentences, exportSection, mailSection, privacyOf } from "./channel_administration.js";
import { confirmAction } from "./dialog.js";
import { actionButton, formSection, isInPermission, settingRow } from "./forms.js";
import { groupsForChannels, permissionRow } from "./permission_field.js";
import { openTabbedDialog } from "./tabbed_dialog.js";
import { summarySection } from "./topic_summary.js";

const COLORS = [
  "#76ce90",
  "#fae589",
  "#a6c7e5",
  "#e79ab5",
  "#bfd56f",
  "#f4ae55",
  "#b0a5fd",
  "#addfe5",
  "#f5ce6e",
  "#c2726a",
  "#94c849",
  "#bd86e5",
  "#ee7e4a",
  "#a6dcbf",
  "#95a5fd",
  "#53a063",
  "#9987e1",
  "#e4523d",
];
const CHANNEL_PERMISSIONS = /** @type {const} */ ([
  "can_send_message_group",
  "can_create_topic_group",
  "can_add_subscribers_group",
  "can_remove_subscribers_group",
  "can_subscribe_group",
  "can_administer_channel_group",
  "can_move_messages_within_channel_group",
  "can_move_messages_out_of_channel_group",
  "can_resolve_topics_group",
  "can_delete_any_message_group",
  "can_delete_own_message_group",
]);
const SLOW_MODE_SECONDS = [0, 10, 30, 60, 300, 900, 3600];
const SLOW_MODE_ENDS = [3600, 4 * 3600, 86_400, 7 * 86_400]; // seconds from now
const NOTIFICATIONS = /** @type {const} */ ([
  "desktop_notifications",
  "audible_notifications",
  "push_notifications",
  "email_notifications",
  "wildcard_mentions_notify",
]);

/** @typedef {import("./forms.js").FieldValue} FieldValue */
/** @typedef {import("../state/types.d.ts").Permission} Permission */

/** @param {{element: HTMLElement}} context
 * @param {string} [page] */
export function channelSettings({ element }, page) {
  const id = Number(element.dataset.channel);
  const channel = channels.get(id);
  if (!channel) return undefined;
  const dialog = openTabbedDialog(
    channel.name,
    `#channels/${id}`,
    [
      ...(channel.subscribed ? [{ key: "personal", title: t("channel.personal"), draw: () => personalPage(id) }] : []),
      { key: "general", title: t("channel.general"), draw: () => generalPage(id) },
      { key: "permissions", title: t("channel.permissions"), draw: (scope) => permissionsPage(id, scope) },
      { key: "subscribers", title: t("channel.subscribers"), draw: () => subscribersPage(id) },
    ],
    page,
  );
  dialog.querySelector("header")?.prepend(channelDot(id));
  return dialog;
}

/** @param {{element: HTMLElement}} context */
export function channelPeople(context) {
  return channelSettings(context, "subscribers");
}

/** @param {number} id */
function personalPage(id) {
  const channel = channels.get(id);
  const own = (/** @type {string} */ property, /** @type {boolean | null | undefined} */ value) =>
    settingRow({
      name: property,
      label: t(`sub.${property}`),
      value: Boolean(value),
      save: (chosen) => setSubscription(id, property, chosen),
    });
  const colors = COLORS.map((color) => {
    const mark = h("span", { class: "drop", "aria-hidden": "true" });
    mark.style.setProperty("--c", color);
    return h(
      "label",
      { title: color },
      h("input", {
        type: "radio",
        name: "color",
        checked: channel?.color === color,
        "aria-label": color,
        onchange: () => setSubscription(id, "color", color),
      }),
      mark,
    );
  });
  return [
    formSection(
      t("channel.personal"),
      own("is_muted", channel?.is_muted),
      own("pin_to_top", channel?.pin_to_top),
      h("fieldset", {}, h("legend", {}, t("channel.color")), h("div", { class: "swatches" }, ...colors)),
    ),
    formSection(t("settings.notifications"), ...NOTIFICATIONS.map((each) => own(each, channel?.[each]))),
  ];
}

/** @param {number} id */
function generalPage(id) {
  const channel = channels.get(id);
  const disabled = !mayChange(channel);
  const change = (/** @type {string} */ name) => (/** @type {FieldValue} */ value) =>
    patch(`/streams/${id}`, { [name]: value });
  const kind = channel && privacyOf(channel);
  const privacy = (/** @type {FieldValue} */ value) =>
    patch(`/streams/${id}`, {
      is_private: value === "private" || value === "protected",
      history_public_to_subscribers: value !== "protected",
      is_web_public: value === "web-public",
    });
  return [
    formSection(
      t("channel.general"),
      disabled && notYours(),
      settingRow({
        disabled,
        name: "new_name",
        label: t("label.name"),
        value: channel?.name,
        save: change("new_name"),
      }),
      settingRow({
        disabled,
        name: "description",
        label: t("channels.description"),
        value: channel?.description,
        kind: "long",
        save: change("description"),
      }),
      settingRow({
        disabled,
        name: "privacy",
        label: t("channels.who"),
        value: kind,
        choices: ["public", "private", "protected", "web-public"].map((each) => [each, t(`privacy.${each}`)]),
        save: privacy,
      }),
      settingRow({
        disabled,
        name: "folder_id",
        label: t("channels.folder"),
        value: channel?.folder_id ?? "",
        choices: [
          ["", t("org.none")],
          ...sortedFolders().map((each) => /** @type {[string, string]} */ ([String(each.id), each.name])),
        ],
        save: (value) => patch(`/streams/${id}`, { folder_id: value ? Number(value) : null }),
      }),
      settingRow({
        disabled,
        name: "topics_policy",
        label: t("channel.topics_policy"),
        value: channel?.topics_policy,
        choices: ["inherit", "allow_empty_topic", "disable_empty_topic", "empty_topic_only"].map((each) => [
          each,
          t(`topics.${each}`),
        ]),
        save: change("topics_policy"),
      }),
      state.is_admin &&
        !channel?.invite_only &&
        !channel?.is_archived &&
        settingRow({
          name: "is_default_stream",
          label: t("channel.default"),
          value: state.realm_default_streams?.includes(id) ?? false,
          save: change("is_default_stream"),
        }),
    ),
    channel && !channel.is_archived && slowModeSection(channel, disabled),
    channel && !channel.is_archived && mailSection(channel, !disabled),
    Boolean(realm("enable_topic_summaries")) && summarySection(id, disabled),
    state.is_admin && channel && exportSection(channel),
    disabled
      ? null
      : channel?.is_archived
        ? formSection(
            t("channel.end"),
            h("p", { class: "quiet" }, t("explain.write.archived")),
            actionButton(t("closed.unarchive"), () => patch(`/streams/${id}`, { is_archived: false })),
          )
        : formSection(
            t("channel.end"),
            actionButton(
              t("channel.archive"),
              async () => {
                if (
                  await confirmAction(
                    t("channel.archive"),
                    t("channel.archive-text", { name: channel?.name ?? "" }),
                    t("channel.archive"),
                  )
                )
                  await remove(`/streams/${id}`);
              },
              "risk",
            ),
          ),
  ];
}

/** @param {import("../state/channels.js").Channel} channel
 * @param {boolean} disabled */
function slowModeSection({ stream_id, slow_mode_seconds, slow_mode_until }, disabled) {
  const path = `/streams/${stream_id}`;
  const now = Math.floor(Date.now() / 1000);
  const until = slow_mode_until ?? 0;
  return formSection(
    t("channel.calm"),
    settingRow({
      disabled,
      name: "slow_mode_seconds",
      label: t("channel.slow_mode"),
      hint: t("channel.slow_mode-hint"),
      value: slow_mode_seconds,
      choices: withCurrent(SLOW_MODE_SECONDS, slow_mode_seconds ?? 0).map((each) => [
        each,
        each ? formatLength(each) : t("channel.slow_mode-off"),
      ]),
      save: (value) => patch(path, { slow_mode_seconds: Number(value) }),
    }),
    settingRow({
      disabled,
      name: "slow_mode_until",
      label: t("channel.slow_mode_until"),
      value: until,
      choices: [
        [0, t("channel.slow_mode-never")],
        ...SLOW_MODE_ENDS.map((each) => /** @type {[number, string]} */ ([now + each, formatLength(each)])),
        ...(until > now ? [/** @type {[number, string]} */ ([until, formatFullTime(until)])] : []),
      ],
      save: (value) => patch(path, { slow_mode_until: Number(value) || null }),
    }),
  );
}

/** @param {number[]} choices
 * @param {number} current */
function withCurrent(choices, current) {
  return choices.includes(current) ? choices : [...choices, current].sort((a, b) => a - b);
}

/** @param {number} id
 * @param {import("../core/scope.js").Scope} scope */
function permissionsPage(id, scope) {
  const channel = channels.get(id);
  const disabled = !mayChange(channel);
  const sentences = h("ul", { class: "plain explained", "aria-live": "polite" });
  const present = (/** @type {typeof CHANNEL_PERMISSIONS[number]} */ name) =>
    /** @type {Permission} */ (channels.get(id)?.[name]);
  const rows = CHANNEL_PERMISSIONS.filter((name) => channel?.[name] !== undefined).map((name) => ({
    name,
    ...permissionRow({
      id: name,
      label: t(`channel.${name}`),
      value: present(name),
      groups: groupsForChannels(name),
      disabled,
      save: (value, old) => patch(`/streams/${id}`, { [name]: { new: value, old } }),
    }),
  }));
  const draw = () => {
    const now = channels.get(id);
    if (!now) return;
    setChildren(sentences, ...channelSentences(now).map((sentence) => h("li", {}, sentence)));
    for (const { name, show } of rows) show(present(name));
  };
  draw();
  scope.on("channels", draw);
  return [
    formSection(t("channel.permissions"), sentences, disabled && notYours(), ...rows.map(({ element }) => element)),
  ];
}

/** @param {import("../state/channels.js").Channel | undefined} channel */
function mayChange(channel) {
  return state.is_admin || isInPermission(channel?.can_administer_channel_group);
}

function notYours() {
  return h("p", { class: "quiet" }, t("channel.not-yours"));
}

/** @param {number} id */
async function subscribersPage(id) {
  const list = h("ul", { class: "plain kept" });
  const field = h("input", {
    class: "f",
    "aria-label": t("channel.add"),
    placeholder: t("channel.add"),
    autocomplete: "off",
  });
  const found = h("ul", { class: "plain kept" });
  const name = channels.get(id)?.name ?? "";
  const mayRemove = mayChange(channels.get(id)) || isInPermission(channels.get(id)?.can_remove_subscribers_group);
  const draw = async () => {
    const { subscribers } = await get(`/streams/${id}/members`);
    setChildren(
      list,
      ...subscribers
        .sort((/** @type {number} */ a, /** @type {number} */ b) => nameOf(a).localeCompare(nameOf(b)))
        .map((/** @type {number} */ person) =>
          h(
            "li",
            {},
            avatar(person, { presence: true }),
            h("bdi", {}, nameOf(person)),
            (mayRemove || person === state.user_id) &&
              iconButton("close", t("channel.remove", { name: nameOf(person) }), {
                onclick: () =>
                  remove("/users/me/subscriptions", { subscriptions: [name], principals: [person] }).then(draw),
              }),
          ),
        ),
    );
    return subscribers;
  };
  let inside = await draw();
  field.addEventListener("input", () => {
    const matches = field.value.trim() ? findPeople(field.value, inside) : [];
    setChildren(
      found,
      ...matches.map((completion) =>
        h(
          "li",
          {},
          avatar(completion.person ?? 0),
          h("bdi", {}, completion.label),
          h(
            "button",
            {
              class: "b",
              type: "button",
              onclick: async () => {
                await post("/users/me/subscriptions", { subscriptions: [{ name }], principals: [completion.person] });
                field.value = "";
                setChildren(found);
                inside = await draw();
              },
            },
            t("dialog.add"),
          ),
        ),
      ),
    );
  });
  return [formSection(t("channel.subscribers"), field, found, list)];
}
