/** Lists of the organization: default and archived channels, emoji, linkifiers, playgrounds, exports. */

import { get, patch, post, remove } from "../core/api.js";
import { channelName, channels } from "../state/channels.js";
import { channelHash } from "../state/narrow.js";
import { setChildren, h, iconButton } from "../core/html.js";
import { state, realm } from "../state/session.js";
import { formatFullTime } from "../views/time.js";
import { t } from "../core/i18n.js";
import { actionButton, formSection, isInPermission, labelled, settingRow } from "../dialogs/forms.js";
import { withErrorToast } from "../views/message_actions.js";
import { fileButton } from "../dialogs/file_button.js";

export function orgDefaults() {
  const ids = new Set(state.realm_default_streams ?? []);
  const open = [...channels.values()]
    .filter((channel) => !channel.invite_only && !channel.is_archived)
    .sort((a, b) => a.name.localeCompare(b.name));
  return [
    formSection(
      t("org.defaults"),
      h("p", { class: "quiet" }, t("org.defaults-text")),
      ...open.map((channel) =>
        settingRow({
          name: `default-${channel.stream_id}`,
          label: channel.name,
          value: ids.has(channel.stream_id),
          disabled: !state.is_admin,
          save: (value) =>
            value
              ? post("/default_streams", { stream_id: channel.stream_id })
              : remove("/default_streams", { stream_id: channel.stream_id }),
        }),
      ),
    ),
  ];
}

/** @returns {import("../state/channels.js").Channel[]} */
export function archivedChannels() {
  return [...channels.values()].filter((channel) => channel.is_archived).sort((a, b) => a.name.localeCompare(b.name));
}

/** Archived channels, with a button that brings one back.
 * @param {import("./sections.js").Pane} pane */
export function orgArchived({ scope }) {
  const list = h("div", {});
  const draw = () => {
    const found = archivedChannels();
    setChildren(
      list,
      found.length === 0
        ? h("p", { class: "quiet" }, t("archived.none"))
        : h(
            "ul",
            { class: "plain kept" },
            ...found.map((channel) =>
              h(
                "li",
                {},
                h(
                  "div",
                  { class: "of" },
                  h("a", { href: channelHash(channel.stream_id) }, h("bdi", {}, channel.name)),
                  " ",
                  h("small", {}, t("channels.people", { count: channel.subscriber_count ?? 0 })),
                ),
                (state.is_admin || isInPermission(channel.can_administer_channel_group)) &&
                  h(
                    "button",
                    {
                      class: "b",
                      type: "button",
                      "aria-label": t("archived.restore", { name: channel.name }),
                      onclick: () => withErrorToast(patch(`/streams/${channel.stream_id}`, { is_archived: false })),
                    },
                    t("closed.unarchive"),
                  ),
              ),
            ),
          ),
    );
  };
  scope.on("channels", draw);
  draw();
  return [formSection(t("org.archived"), h("p", { class: "quiet" }, t("archived.text")), list)];
}

/** @param {import("./sections.js").Pane} pane */
export function orgEmoji({ scope }) {
  const name = h("input", { class: "f", "aria-label": t("label.name") });
  const add = h("div", {});
  const list = h("ul", { class: "plain kept" });
  const drawButton = () =>
    setChildren(
      add,
      fileButton(`/realm/emoji/${encodeURIComponent(name.value.trim().toLowerCase())}`, t("emoji.add"), "image/*"),
    );
  const draw = () =>
    setChildren(
      list,
      ...Object.values(realm("emoji") ?? {})
        .filter((each) => !each.deactivated)
        .map((each) =>
          h(
            "li",
            {},
            h("img", { class: "emoji", src: each.source_url, alt: "" }),
            h("span", {}, `:${each.name}:`),
            (state.is_admin || each.author_id === state.user_id) &&
              iconButton("trash", t("admin.remove", { name: each.name }), {
                onclick: () => remove(`/realm/emoji/${each.name}`),
              }),
          ),
        ),
    );
  name.addEventListener("input", drawButton);
  drawButton();
  draw();
  scope.on("realm", draw);
  return [formSection(t("org.emoji"), list), formSection(t("emoji.add"), labelled(t("label.name"), name), add)];
}

/** Linkifiers, in the order in which they are applied. */
export function orgLinkifiers() {
  const list = h("ul", { class: "plain kept" });
  const draw = async () => {
    const { linkifiers } = await get("/realm/linkifiers");
    state.realm_linkifiers = linkifiers;
    const ids = linkifiers.map((each) => each.id);
    setChildren(
      list,
      ...linkifiers.map((each, at) =>
        h(
          "li",
          {},
          h("code", {}, each.pattern),
          h("small", { class: "cut" }, each.url_template),
          state.is_admin &&
            h(
              "span",
              { class: "set" },
              at > 0 &&
                iconButton("end", t("order.up"), {
                  class: "up-turned",
                  onclick: () => patch("/realm/linkifiers", { ordered_linkifier_ids: raised(ids, at) }).then(draw),
                }),
              iconButton("trash", t("admin.remove-it"), {
                onclick: () => remove(`/realm/filters/${each.id}`).then(draw),
              }),
            ),
        ),
      ),
    );
  };
  draw();
  const pattern = h("input", { class: "f", "aria-label": t("linkifier.pattern"), placeholder: "#(?P<id>[0-9]+)" });
  const template = h("input", { class: "f", "aria-label": t("label.url"), placeholder: "https://example.com/{id}" });
  return [
    formSection(t("org.linkifiers"), h("p", { class: "quiet" }, t("linkifier.text")), list),
    state.is_admin &&
      formSection(
        t("linkifier.add"),
        labelled(t("linkifier.pattern"), pattern),
        labelled(t("label.url"), template),
        actionButton(t("linkifier.add"), () =>
          post("/realm/filters", { pattern: pattern.value, url_template: template.value }).then(draw),
        ),
      ),
  ];
}

/** @param {import("./sections.js").Pane} pane */
export function orgPlaygrounds({ scope }) {
  const name = h("input", { class: "f", "aria-label": t("label.name") });
  const language = h("input", { class: "f", "aria-label": t("playground.language"), placeholder: "Python" });
  const template = h("input", {
    class: "f",
    "aria-label": t("label.url"),
    placeholder: "https://example.com/?code={code}",
  });
  const list = h("ul", { class: "plain kept" });
  const draw = () =>
    setChildren(
      list,
      ...(state.realm_playgrounds ?? []).map((each) =>
        h(
          "li",
          {},
          h("span", {}, each.name),
          h("small", {}, each.pygments_language),
          state.is_admin &&
            iconButton("trash", t("admin.remove-it"), { onclick: () => remove(`/realm/playgrounds/${each.id}`) }),
        ),
      ),
    );
  scope.on("realm", draw);
  draw();
  return [
    formSection(t("org.playgrounds"), h("p", { class: "quiet" }, t("playground.text")), list),
    state.is_admin &&
      formSection(
        t("playground.add"),
        labelled(t("label.name"), name),
        labelled(t("playground.language"), language),
        labelled(t("label.url"), template),
        actionButton(t("playground.add"), () =>
          post("/realm/playgrounds", {
            name: name.value,
            pygments_language: language.value,
            url_template: template.value,
          }),
        ),
      ),
  ];
}

/** The list of exports, and the form that starts one. */
export async function orgExport() {
  const list = h("ul", { class: "plain kept" });
  const draw = async () => {
    const { exports } = await get("/export/realm");
    setChildren(
      list,
      exports.length === 0 && h("li", { class: "quiet" }, t("export.none")),
      ...exports.map((each) =>
        h(
          "li",
          {},
          h(
            "div",
            { class: "of" },
            h(
              "bdi",
              {},
              each.stream_id === null
                ? t("export.of-organization")
                : t("admin.channel", { name: channelName(each.stream_id) }),
            ),
            " ",
            h("small", {}, formatFullTime(each.export_time)),
          ),
          each.export_url
            ? h("a", { href: each.export_url }, t("export.download"))
            : h("small", {}, t(each.pending ? "export.pending" : "export.failed")),
          each.export_url &&
            iconButton("trash", t("export.delete"), { onclick: () => remove(`/export/realm/${each.id}`).then(draw) }),
        ),
      ),
    );
  };
  await draw();
  const kind = h(
    "select",
    { class: "f", "aria-label": t("channel.export-kind") },
    ...["public", "full_with_consent", "full_without_consent"].map((each) =>
      h("option", { value: each }, t(`export.${each}`)),
    ),
  );
  const format = h(
    "select",
    { class: "f", "aria-label": t("export.format") },
    ...["archive", "html"].map((each) => h("option", { value: each }, t(`export.format-${each}`))),
  );
  return [
    formSection(
      t("org.export"),
      h("p", { class: "quiet" }, t("export.text")),
      labelled(t("channel.export-kind"), kind),
      labelled(t("export.format"), format),
      actionButton(t("export.do"), () =>
        post("/export/realm", { export_type: kind.value, as_html: format.value === "html" }).then(draw),
      ),
    ),
    formSection(t("export.list"), list),
  ];
}

/** The ids with one of them moved up.
 * @param {number[]} ids
 * @param {number} at */
export function raised(ids, at) {
  const order = [...ids];
  [order[at - 1], order[at]] = [order[at], order[at - 1]];
  return order;
}
