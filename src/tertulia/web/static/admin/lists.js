/** Lists of the organization: default and archived channels, emoji, linkifiers, playgrounds, exports. */

import { get, patch, post, remove } from "../core/api.js";
import { channelName, channels } from "../state/channels.js";
import { channelHash } from "../state/narrow.js";
import { h } from "../core/html.js";
import { t } from "../core/i18n.js";
import { state, realm } from "../state/session.js";
import { nameOf } from "../state/people.js";
import { ChoiceField } from "../views/choice_field.js";
import { withErrorToast } from "../views/message_actions.js";
import { formatFullTime } from "../views/time.js";
import { fileField } from "../dialogs/file_button.js";
import { isInPermission, labelled } from "../dialogs/forms.js";
import {
  formDialog,
  headButton,
  itemTable,
  menuButton,
  nameCell,
  raised,
  raising,
  removal,
  rowButton,
  sectionHead,
} from "./parts.js";

/** @typedef {import("./sections.js").Pane} Pane */
/** @typedef {import("../state/channels.js").Channel} Channel */

/** @param {Pane} pane */
export function orgDefaults({ scope }) {
  const heads = [t("label.channel"), t("org.users")];
  const table = itemTable(t("org.defaults"), heads, t("defaults.none"), (/** @type {Channel} */ channel) => ({
    cells: channelCells(channel),
    end:
      state.is_admin &&
      rowButton(t("dialog.remove"), t("admin.remove", { name: channel.name }), () =>
        withErrorToast(remove("/default_streams", { stream_id: channel.stream_id })),
      ),
  }));
  const isDefault = (/** @type {Channel} */ channel) =>
    Boolean(state.realm_default_streams?.includes(channel.stream_id));
  const draw = () => table.draw(sortedChannels(isDefault));
  const add = () => {
    const open = sortedChannels((each) => !each.invite_only && !each.is_archived && !isDefault(each));
    const field = new ChoiceField(t("label.channel"), open.map(channelChoice), t("choice.unknown"));
    formDialog(t("defaults.add"), [labelled(t("label.channel"), field.element)], t("dialog.add"), async () => {
      if (!field.validate()) throw new Error(t("choice.unknown"));
      await post("/default_streams", { stream_id: field.value });
    });
  };
  scope.on(["channels", "realm"], draw);
  draw();
  const head = state.is_admin && headButton(t("defaults.add"), add);
  return [sectionHead(t("org.defaults"), t("org.defaults-text"), head), table.element];
}

/** @param {(channel: Channel) => boolean} isWanted */
function sortedChannels(isWanted) {
  return [...channels.values()].filter(isWanted).sort((a, b) => a.name.localeCompare(b.name));
}

/** @param {Channel} channel */
function channelChoice({ stream_id: value, name: label }) {
  return { value, label };
}

/** @param {Channel} channel */
function channelCells(channel) {
  return [
    nameCell([h("a", { href: channelHash(channel.stream_id) }, h("bdi", {}, channel.name))], channel.description),
    String(channel.subscriber_count ?? 0),
  ];
}

/** @returns {Channel[]} */
export function archivedChannels() {
  return sortedChannels((channel) => channel.is_archived);
}

/** Archived channels, with a button that brings one back.
 * @param {Pane} pane */
export function orgArchived({ scope }) {
  const heads = [t("label.channel"), t("org.users")];
  const table = itemTable(t("org.archived"), heads, t("archived.none"), (/** @type {Channel} */ channel) => ({
    cells: channelCells(channel),
    end:
      (state.is_admin || isInPermission(channel.can_administer_channel_group)) &&
      rowButton(t("closed.unarchive"), t("archived.restore", { name: channel.name }), () =>
        withErrorToast(patch(`/streams/${channel.stream_id}`, { is_archived: false })),
      ),
  }));
  const draw = () => table.draw(archivedChannels());
  scope.on("channels", draw);
  draw();
  return [sectionHead(t("org.archived"), t("archived.text")), table.element];
}

/** @param {Pane} pane */
export function orgEmoji({ scope }) {
  const own = () => Object.values(realm("emoji") ?? {}).filter((each) => !each.deactivated);
  const heads = [t("org.emoji"), t("emoji.by")];
  const table = itemTable(t("org.emoji"), heads, t("emoji.none"), (/** @type {ReturnType<typeof own>[0]} */ each) => ({
    cells: [
      h("span", { class: "pn" }, h("img", { class: "emoji", src: each.source_url, alt: "" }), `:${each.name}:`),
      each.author_id === null ? "–" : nameOf(each.author_id),
    ],
    end:
      (state.is_admin || each.author_id === state.user_id) &&
      rowButton(t("dialog.remove"), t("admin.remove", { name: each.name }), () =>
        withErrorToast(remove(`/realm/emoji/${each.name}`)),
      ),
  }));
  const add = () => {
    const name = h("input", { class: "f", maxlength: 60, autocapitalize: "off", autocomplete: "off" });
    const picture = fileField(t("emoji.picture"), "image/*");
    formDialog(
      t("emoji.add"),
      [labelled(t("label.name"), name), labelled(t("emoji.picture"), picture.element)],
      t("dialog.add"),
      () => picture.send(`/realm/emoji/${encodeURIComponent(name.value.trim().toLowerCase())}`),
    );
  };
  const draw = () => table.draw(own());
  scope.on("realm", draw);
  draw();
  const head = isInPermission(realm("can_add_custom_emoji_group")) && headButton(t("emoji.add"), add);
  return [sectionHead(t("org.emoji"), t("emoji.text"), head), table.element];
}

/** Linkifiers, in the order in which they are applied. */
export async function orgLinkifiers() {
  /** @type {import("../core/api_types.d.ts").Schemas["LinkifierObject"][]} */
  let linkifiers = [];
  const heads = [t("linkifier.pattern"), t("label.url")];
  const table = itemTable(
    t("org.linkifiers"),
    heads,
    t("linkifier.none"),
    (/** @type {typeof linkifiers[0]} */ each, at) => ({
      cells: [h("code", {}, each.pattern), each.url_template],
      end:
        state.is_admin &&
        menuButton(each.pattern, [
          at > 0 && raising(() => patch("/realm/linkifiers", { ordered_linkifier_ids: raised(ids(), at) }).then(draw)),
          removal(() => remove(`/realm/filters/${each.id}`).then(draw)),
        ]),
    }),
  );
  const ids = () => linkifiers.map(({ id }) => id);
  /** @type {() => Promise<void>} */
  const draw = async () => {
    ({ linkifiers } = await get("/realm/linkifiers"));
    table.draw(linkifiers);
  };
  const add = () => {
    const pattern = h("input", { class: "f", placeholder: "#(?P<id>[0-9]+)", dir: "ltr" });
    const template = h("input", { class: "f", placeholder: "https://example.com/{id}", dir: "ltr" });
    formDialog(
      t("linkifier.add"),
      [labelled(t("linkifier.pattern"), pattern), labelled(t("label.url"), template)],
      t("dialog.add"),
      () => post("/realm/filters", { pattern: pattern.value, url_template: template.value }).then(draw),
    );
  };
  await draw();
  const head = state.is_admin && headButton(t("linkifier.add"), add);
  return [sectionHead(t("org.linkifiers"), t("linkifier.text"), head), table.element];
}

/** @param {Pane} pane */
export function orgPlaygrounds({ scope }) {
  const found = () => state.realm_playgrounds ?? [];
  const heads = [t("label.name"), t("playground.language"), t("label.url")];
  const table = itemTable(
    t("org.playgrounds"),
    heads,
    t("playground.none"),
    (/** @type {ReturnType<typeof found>[0]} */ each) => ({
      cells: [nameCell(each.name), each.pygments_language, each.url_template],
      end:
        state.is_admin &&
        rowButton(t("dialog.remove"), t("admin.remove", { name: each.name }), () =>
          withErrorToast(remove(`/realm/playgrounds/${each.id}`)),
        ),
    }),
  );
  const add = () => {
    const fields = [
      { name: "name", label: t("label.name") },
      { name: "pygments_language", label: t("playground.language"), placeholder: "Python" },
      { name: "url_template", label: t("label.url"), placeholder: "https://example.com/?code={code}" },
    ].map(({ label, ...attributes }) => ({ label, input: h("input", { class: "f", ...attributes }) }));
    formDialog(
      t("playground.add"),
      fields.map(({ label, input }) => labelled(label, input)),
      t("dialog.add"),
      () => post("/realm/playgrounds", Object.fromEntries(fields.map(({ input }) => [input.name, input.value]))),
    );
  };
  const draw = () => table.draw(found());
  scope.on("realm", draw);
  draw();
  const head = state.is_admin && headButton(t("playground.add"), add);
  return [sectionHead(t("org.playgrounds"), t("playground.text"), head), table.element];
}

/** The list of exports, and the form that starts one.
 * @param {Pane} pane */
export async function orgExport({ scope }) {
  const heads = [t("export.list"), t("audit.when"), t("admin.state")];
  const table = itemTable(
    t("export.list"),
    heads,
    t("export.none"),
    (/** @type {import("../core/api_types.d.ts").Schemas["ExportObject"]} */ each) => ({
      cells: [
        nameCell(
          each.stream_id === null
            ? t("export.of-organization")
            : t("admin.channel", { name: channelName(each.stream_id) }),
        ),
        formatFullTime(each.export_time),
        each.export_url
          ? h("a", { href: each.export_url }, t("export.download"))
          : t(each.pending ? "export.pending" : "export.failed"),
      ],
      end:
        each.export_url &&
        rowButton(t("dialog.remove"), t("export.delete"), () =>
          withErrorToast(remove(`/export/realm/${each.id}`).then(draw)),
        ),
    }),
  );
  /** @type {() => Promise<void>} */
  const draw = async () => table.draw((await get("/export/realm")).exports);
  const begin = () => {
    const kind = select(["public", "full_with_consent", "full_without_consent"], (each) => t(`export.${each}`));
    const format = select(["archive", "html"], (each) => t(`export.format-${each}`));
    formDialog(
      t("org.export"),
      [labelled(t("channel.export-kind"), kind), labelled(t("export.format"), format)],
      t("export.do"),
      () => post("/export/realm", { export_type: kind.value, as_html: format.value === "html" }).then(draw),
    );
  };
  scope.on("realm", draw);
  await draw();
  return [sectionHead(t("org.export"), t("export.text"), headButton(t("export.do"), begin, "download")), table.element];
}

/** @template {string} Value
 * @param {Value[]} values
 * @param {(value: Value) => string} textOf */
function select(values, textOf) {
  return h("select", { class: "f" }, ...values.map((value) => h("option", { value }, textOf(value))));
}
