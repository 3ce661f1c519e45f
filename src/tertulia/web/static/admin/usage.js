/** How the organization is used: people who write, messages by channel and day, storage. */

import { get } from "../core/api.js";
import { h, setChildren } from "../core/html.js";
import { currentLanguage, formatNumber, t } from "../core/i18n.js";
import { channels, channelName } from "../state/channels.js";
import { nameOf } from "../state/people.js";
import { formatFullTime } from "../views/time.js";
import { formatSize } from "../views/file_card.js";
import { dataTable, sectionHead } from "./parts.js";
import { bars } from "./plots.js";

/** @typedef {import("../core/api_types.d.ts").Schemas["ChannelUsage"]} ChannelUsage */
/** @typedef {Awaited<ReturnType<typeof readUsage>>} Usage */

const SPANS = [28, 90];
const MAX_ROWS = 20;

export async function usagePage() {
  const inside = h("div", {});
  const span = h(
    "select",
    { class: "f", "aria-label": t("usage.span"), onchange: () => draw() },
    ...SPANS.map((days) => h("option", { value: days }, t("usage.days", { count: days }))),
  );
  const draw = async () => setChildren(inside, ...figures(await readUsage(Number(span.value))));
  await draw();
  return [
    h(
      "div",
      { class: "oversight" },
      sectionHead(t("org.usage"), t("usage.text")),
      h("div", { class: "filters" }, span),
      inside,
    ),
  ];
}

/** @param {number} days */
function readUsage(days) {
  return get("/realm/usage", { days });
}

/** @param {Usage} usage */
function figures(usage) {
  const messages = usage.days.map((day) => day.messages);
  const total = messages.reduce((sum, each) => sum + each, 0);
  const tiles = /** @type {[string | number, PlainTextKey][]} */ ([
    [usage.people, "usage.accounts"],
    [usage.seen_last_day, "usage.seen-day"],
    [usage.seen_last_week, "usage.seen-week"],
    [total, "usage.messages"],
    [formatSize(usage.storage_size), "usage.files"],
  ]);
  return [
    h(
      "ul",
      { class: "tiles" },
      ...tiles.map(([value, name]) =>
        h("li", {}, h("b", {}, typeof value === "number" ? formatNumber(value) : value), t(name)),
      ),
    ),
    h("h3", {}, t("usage.activity")),
    h(
      "div",
      { class: "plots" },
      plot(
        t("usage.writers-day"),
        usage.days.map((day) => day.writers),
        usage.days,
      ),
      plot(
        t("usage.writers-week"),
        usage.weeks.map((week) => week.writers),
        usage.weeks,
      ),
      plot(t("usage.messages-day"), messages, usage.days),
    ),
    dayTable(usage),
    h("h3", {}, t("usage.by-channel")),
    channelTable(usage),
    h("h3", {}, t("usage.by-person")),
    personTable(usage),
    h("p", { class: "quiet foot" }, t("usage.as-of", { when: formatFullTime(usage.as_of) })),
  ];
}

/** @param {string} title
 * @param {number[]} values
 * @param {{starts_at: number}[]} times */
function plot(title, values, times) {
  const most = formatNumber(Math.max(0, ...values));
  const ends = [times[0], times[times.length - 1]].map((each) => formatUtcDay(each.starts_at));
  return h(
    "figure",
    { class: "plot" },
    h("figcaption", {}, h("b", {}, title), h("span", { class: "quiet num" }, t("usage.most", { number: most }))),
    bars(
      values,
      t("usage.plot", { title, most, last: formatNumber(values[values.length - 1]), from: ends[0], to: ends[1] }),
    ),
    h("div", { class: "ends", "aria-hidden": "true" }, ...ends.map((each) => h("span", {}, each))),
  );
}

/** @param {Usage} usage */
function dayTable(usage) {
  const rows = usage.days
    .toReversed()
    .map((day) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, formatUtcDay(day.starts_at)),
        h("td", { class: "r" }, formatNumber(day.writers)),
        h("td", { class: "r" }, formatNumber(day.messages)),
      ),
    );
  return h(
    "details",
    {},
    h("summary", {}, t("usage.table")),
    table(t("usage.activity"), [t("usage.day"), t("usage.writers"), t("usage.messages")], rows),
  );
}

/** @param {Usage} usage */
function channelTable(usage) {
  const rows = usage.channels
    .slice(0, MAX_ROWS)
    .map((channel) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, h("bdi", {}, nameOfChannel(channel))),
        h(
          "td",
          {},
          bars(
            channel.by_day,
            t("usage.channel-plot", { name: nameOfChannel(channel), count: channel.messages }),
            "spark",
          ),
        ),
        h("td", { class: "r" }, formatNumber(channel.messages)),
        h("td", { class: "r" }, formatSize(channel.size)),
      ),
    );
  const hidden = usage.other_channels + Math.max(0, usage.channels.length - MAX_ROWS);
  return h(
    "div",
    {},
    table(t("usage.by-channel"), [t("label.channel"), t("usage.by-day"), t("usage.messages"), t("usage.files")], rows),
    hidden > 0 && h("p", { class: "quiet foot" }, t("usage.others", { count: hidden })),
  );
}

/** @param {Usage} usage */
function personTable(usage) {
  if (!usage.storage_by_person.length) return h("p", { class: "quiet" }, t("usage.no-files"));
  return table(
    t("usage.by-person"),
    [t("usage.person"), t("usage.files")],
    usage.storage_by_person
      .slice(0, MAX_ROWS)
      .map((each) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, h("bdi", {}, nameOf(each.user_id))),
          h("td", { class: "r" }, formatSize(each.size)),
        ),
      ),
  );
}

/** @param {string} label
 * @param {string[]} heads
 * @param {HTMLElement[]} rows */
function table(label, heads, rows) {
  const cells = heads.map((head, index) =>
    h("th", { scope: "col", class: index > 0 && head !== t("usage.by-day") && "r" }, head),
  );
  return dataTable(label, cells, h("tbody", {}, ...rows));
}

/** @param {ChannelUsage} channel */
function nameOfChannel({ stream_id: id }) {
  if (id === null) return t("view.dm");
  return channels.has(id) ? channelName(id) : t("audit.channel", { id: String(id) });
}

/** A day of the server, in UTC.
 * @param {number} seconds */
function formatUtcDay(seconds) {
  return new Intl.DateTimeFormat(currentLanguage(), { day: "numeric", month: "short", timeZone: "UTC" }).format(
    seconds * 1000,
  );
}
