/** Lists that an organization keeps: default channels, emoji, linkifiers, playgrounds, exports. */

import { get, patch, post, remove } from "../core/api.js";
import { channels } from "../state/channels.js";
import { fill, h, iconButton } from "../core/html.js";
import { known, realm } from "../state/session.js";
import { on } from "../core/signals.js";
import { fullTime } from "../views/time.js";
import { say } from "../core/i18n.js";
import { deedButton, formSection, labelled, settingRow } from "./forms.js";
import { uploadTo } from "./file_button.js";

export function orgDefaults() {
  const ids = new Set((known.realm_default_streams ?? []).map((/** @type {any} */ each) => each.stream_id ?? each));
  const open = [...channels.values()].filter((channel) => !channel.invite_only && !channel.is_archived).sort((a, b) => a.name.localeCompare(b.name));
  return [formSection(say("org.defaults"), h("p", { class: "quiet" }, say("org.defaults-text")), ...open.map((channel) => settingRow({ name: `default-${channel.stream_id}`, label: channel.name, value: ids.has(channel.stream_id), disabled: !known.is_admin,
    save: (value) => (value ? post("/default_streams", { stream_id: channel.stream_id }) : remove("/default_streams", { stream_id: channel.stream_id })) })))];
}

export function orgEmoji() {
  const name = h("input", { class: "f", "aria-label": say("emoji.name") });
  const add = h("div", {});
  const list = h("ul", { class: "plain kept" });
  const offer = () => fill(add, uploadTo(`/realm/emoji/${encodeURIComponent(name.value.trim().toLowerCase())}`, say("emoji.add"), "image/*"));
  const draw = () => fill(list, ...Object.values(realm("emoji") ?? {}).filter((/** @type {any} */ each) => !each.deactivated).map((/** @type {any} */ each) =>
    h("li", {}, h("img", { class: "emoji", src: each.source_url, alt: "" }), h("span", {}, `:${each.name}:`),
      (known.is_admin || each.author_id === known.user_id) && iconButton("trash", say("emoji.remove", { name: each.name }), { onclick: () => remove(`/realm/emoji/${each.name}`) }))));
  name.addEventListener("input", offer);
  offer();
  draw();
  const stop = on("realm", () => (list.isConnected ? draw() : stop()));
  return [formSection(say("org.emoji"), list), formSection(say("emoji.add"), labelled(say("emoji.name"), name), add)];
}

/** What is linked by itself, in the order in which it is tried. */
export function orgLinkifiers() {
  const list = h("ul", { class: "plain kept" });
  const draw = async () => {
    const { linkifiers } = await get("/realm/linkifiers");
    known.realm_linkifiers = linkifiers;
    const ids = linkifiers.map((/** @type {any} */ each) => each.id);
    fill(list, ...linkifiers.map((/** @type {any} */ each, /** @type {number} */ at) => h("li", {}, h("code", {}, each.pattern), h("small", { class: "cut" }, each.url_template), known.is_admin && h("span", { class: "set" },
      at > 0 && iconButton("end", say("order.up"), { class: "up-turned", onclick: () => patch("/realm/linkifiers", { ordered_linkifier_ids: raised(ids, at) }).then(draw) }),
      iconButton("trash", say("linkifier.remove"), { onclick: () => remove(`/realm/filters/${each.id}`).then(draw) })))));
  };
  draw();
  const pattern = h("input", { class: "f", "aria-label": say("linkifier.pattern"), placeholder: "#(?P<id>[0-9]+)" });
  const template = h("input", { class: "f", "aria-label": say("linkifier.template"), placeholder: "https://example.com/{id}" });
  return [formSection(say("org.linkifiers"), h("p", { class: "quiet" }, say("linkifier.text")), list), known.is_admin && formSection(say("linkifier.add"), labelled(say("linkifier.pattern"), pattern), labelled(say("linkifier.template"), template),
    deedButton(say("linkifier.add"), () => post("/realm/filters", { pattern: pattern.value, url_template: template.value }).then(draw)))];
}

export function orgPlaygrounds() {
  const name = h("input", { class: "f", "aria-label": say("playground.name") });
  const language = h("input", { class: "f", "aria-label": say("playground.language"), placeholder: "Python" });
  const template = h("input", { class: "f", "aria-label": say("linkifier.template"), placeholder: "https://example.com/?code={code}" });
  const list = h("ul", { class: "plain kept" });
  const draw = () => fill(list, ...(known.realm_playgrounds ?? []).map((/** @type {any} */ each) => h("li", {}, h("span", {}, each.name), h("small", {}, each.pygments_language),
    known.is_admin && iconButton("trash", say("playground.remove"), { onclick: () => remove(`/realm/playgrounds/${each.id}`) }))));
  const stop = on("realm", () => (list.isConnected ? draw() : stop()));
  draw();
  return [formSection(say("org.playgrounds"), h("p", { class: "quiet" }, say("playground.text")), list), known.is_admin && formSection(say("playground.add"), labelled(say("playground.name"), name), labelled(say("playground.language"), language), labelled(say("linkifier.template"), template),
    deedButton(say("playground.add"), () => post("/realm/playgrounds", { name: name.value, pygments_language: language.value, url_template: template.value })))];
}

/** Exports that were asked for, and asking for one. */
export async function orgExport() {
  const list = h("ul", { class: "plain kept" });
  const draw = async () => {
    const { exports } = await get("/export/realm");
    fill(list, ...exports.map((/** @type {any} */ each) => h("li", {}, h("span", {}, fullTime(each.export_time)), each.export_url ? h("a", { href: each.export_url }, say("export.download")) : h("small", {}, say(each.pending ? "export.pending" : "export.failed")),
      each.export_url && iconButton("trash", say("export.delete"), { onclick: () => remove(`/export/realm/${each.id}`).then(draw) }))));
  };
  await draw();
  const kind = h("select", { class: "f", "aria-label": say("export.kind") }, ...["public", "full_with_consent", "full_without_consent"].map((each) => h("option", { value: each }, say(`export.${each}`))));
  return [formSection(say("org.export"), h("p", { class: "quiet" }, say("export.text")), labelled(say("export.kind"), kind),
    deedButton(say("export.do"), () => post("/export/realm", { export_type: kind.value }).then(draw))), formSection(say("export.list"), list)];
}

/** An order in which one has moved up by a place.
 * @param {number[]} ids
 * @param {number} at */
export function raised(ids, at) {
  const order = [...ids];
  [order[at - 1], order[at]] = [order[at], order[at - 1]];
  return order;
}
