/** The audit log: filters, entries from the newest on, one entry by its address, and the log as CSV. */

import { get } from "../core/api.js";
import { h, icon, setChildren } from "../core/html.js";
import { formatNumber, t } from "../core/i18n.js";
import { channels } from "../state/channels.js";
import { people } from "../state/people.js";
import { normalizeText } from "../state/name_match.js";
import { avatar } from "../views/avatars.js";
import { TypeaheadPopup } from "../views/typeahead_popup.js";
import { formatFullTime, formatShortTime } from "../views/time.js";
import { dataTable, sectionHead } from "./parts.js";
import { actorName, detailsOf, isFailed, sentenceOf, textOf } from "./audit_entries.js";

/** @typedef {import("./sections.js").Pane} Pane */
/** @typedef {import("./audit_entries.js").Entry} Entry */
/** @typedef {Record<string, string>} Filters parameters of the log's address */

const PAGE_LENGTH = 50;
const SEARCH_DELAY_MS = 300;
const MAX_OFFERED = 50;
const MODERATOR = 300;
const AREAS = ["login", "people", "channels", "groups", "messages", "settings", "content", "bots", "exports", "other"];
const TIMES = ["today", "7", "30", "all", "range"];
const FILTER_NAMES = ["actor_id", "source", "area", "object", "search", "failed", "when", "from", "to"];

/** @param {Pane} pane */
export async function auditPage(pane) {
  const [first = ""] = pane.rest;
  return [
    h(
      "div",
      { class: "oversight" },
      ...(/^\d+$/.test(first) ? await oneEntry(pane, first) : await logPage(pane, first)),
    ),
  ];
}

// --- one entry ---

/** @param {Pane} pane
 * @param {string} id */
async function oneEntry(pane, id) {
  const whole = h("button", { class: "b", type: "button", onclick: () => pane.show("audit-log") }, t("audit.whole"));
  try {
    const { entry } = await get(`/realm/audit_log/${id}`);
    const facts = [
      ["when", formatFullTime(entry.at)],
      ["who", actorName(entry)],
      ["what", textOf(entry)],
      ["details", detailsOf(entry, pane.pending.list).map((each) => h("div", {}, each))],
      ["where", t(`audit.area.${entry.area}`)],
      ["from", entry.address],
      ["act", h("code", {}, entry.act)],
      ["result", entry.result],
    ];
    const address = `${location.origin}/${entryAddress(entry)}`;
    const field = h("input", { class: "f", readonly: true, value: address, "aria-label": t("audit.link") });
    return [
      sectionHead(t("audit.entry", { id })),
      h(
        "dl",
        { class: "facts" },
        ...facts.flatMap(([name, value]) =>
          value && !(Array.isArray(value) && !value.length)
            ? [h("dt", {}, t(`audit.${name}`)), h("dd", {}, value)]
            : [],
        ),
      ),
      h(
        "div",
        { class: "copyline" },
        field,
        h(
          "button",
          {
            class: "b",
            type: "button",
            onclick: () => navigator.clipboard.writeText(address).catch(() => field.select()),
          },
          icon("copy", "s"),
          t("audit.copy"),
        ),
      ),
      h("p", { class: "foot" }, whole),
    ];
  } catch (error) {
    return [h("p", { class: "wrong", role: "alert" }, /** @type {Error} */ (error).message), whole];
  }
}

/** @param {Entry} entry */
function entryAddress(entry) {
  return `#organization/audit-log/${entry.id}`;
}

// --- the log ---

/** @param {Pane} pane
 * @param {string} address filters, as in a query */
async function logPage(pane, address) {
  /** @type {Filters} */
  let filters = { when: "30", ...knownFilters(address) };
  const rows = h("tbody");
  const count = h("span", { class: "quiet num", role: "status" });
  const more = h("button", { class: "b", type: "button", onclick: () => fetchEntries(false) }, t("audit.more"));
  const download = h("a", { class: "b", download: "audit-log.csv" }, icon("download", "s"), t("audit.csv"));
  const note = h("p", {});
  let before = /** @type {number | undefined} */ (undefined);
  let turn = 0;

  /** @param {boolean} fresh */
  async function fetchEntries(fresh) {
    const own = ++turn;
    const query = queryOf(filters);
    const found = await get("/realm/audit_log", { ...query, before: fresh ? undefined : before, limit: PAGE_LENGTH });
    if (own !== turn) return; // the filters were changed meanwhile
    if (fresh) setChildren(rows);
    rows.append(...found.entries.map((entry) => entryRow(entry, pane, changeFilters)));
    if (!rows.childElementCount) rows.append(h("tr", {}, h("td", { colspan: 5 }, t("audit.none"))));
    before = found.entries.at(-1)?.id;
    more.hidden = found.entries.length < PAGE_LENGTH;
    count.textContent = found.is_count_complete
      ? t("audit.count", { count: found.count })
      : t("audit.count-more", { count: found.count });
    note.textContent = t("audit.text", { count: found.kept_days });
    download.setAttribute(
      "href",
      `/audit_log.csv?${new URLSearchParams(/** @type {Record<string, string>} */ (query))}`,
    );
  }

  /** @param {Filters} changed */
  async function changeFilters(changed) {
    filters = Object.fromEntries(Object.entries({ ...filters, ...changed }).filter(([, value]) => value !== ""));
    controls.update(filters);
    pane.setRest([new URLSearchParams(filters).toString()]);
    await fetchEntries(true);
  }

  const controls = filterControls(changeFilters);
  controls.update(filters);
  await fetchEntries(true);
  const heads = ["when", "who", "what", "where", "from"].map((each) => t(`audit.${each}`));
  return [
    sectionHead(t("org.audit"), undefined, download, note),
    h("div", { class: "filters" }, ...controls.elements, count),
    dataTable(t("org.audit"), heads, rows, "blocks"),
    h("p", { class: "foot" }, more),
  ];
}

/** @param {string} address
 * @returns {Filters} */
function knownFilters(address) {
  return Object.fromEntries([...new URLSearchParams(address)].filter(([name]) => FILTER_NAMES.includes(name)));
}

/** The filters as parameters of the API.
 * @param {Filters} filters
 * @returns {Record<string, string | number>} */
export function queryOf({ when, from, to, ...others }) {
  const times =
    when === "range"
      ? { ...(from && { after: startOfDay(from) }), ...(to && { until: startOfDay(to, 1) }) }
      : when === "all"
        ? {}
        : { after: startOfDay("", when === "today" ? 0 : -Number(when)) };
  return { ...others, ...times };
}

/** The start of a day, or of one some days later: a day may have 23 or 25 hours.
 * @param {string} date such as 2026-11-17; empty for today
 * @param {number} [days] */
function startOfDay(date, days = 0) {
  const day = date ? new Date(`${date}T00:00`) : new Date();
  day.setDate(day.getDate() + days);
  return Math.floor(day.setHours(0, 0, 0, 0) / 1000);
}

/** @param {(changed: Filters) => unknown} change */
function filterControls(change) {
  const offers = h("ul", {
    class: "offer",
    id: "audit-objects",
    role: "listbox",
    "aria-label": t("audit.search"),
    hidden: true,
  });
  const search = h("input", {
    type: "search",
    role: "combobox",
    "aria-expanded": "false",
    "aria-label": t("audit.search"),
    placeholder: t("audit.search"),
    autocomplete: "off",
  });
  const popup = new TypeaheadPopup(search, offers, (text) => objectCompletions(text));
  search.addEventListener("keydown", (event) => popup.handleKey(event));
  let waiting = 0;
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = window.setTimeout(() => change(searchFilters(search.value.trim())), SEARCH_DELAY_MS);
  });
  const who = select(
    "who",
    (value) => ({ actor_id: /^\d+$/.test(value) ? value : "", source: /^\d*$/.test(value) ? "" : value }),
    [],
  );
  const what = select("what", (value) => ({ area: value }), [
    ["", t("audit.everything")],
    ...AREAS.map((area) => /** @type {[string, string]} */ ([area, t(`audit.area.${area}`)])),
  ]);
  const when = select(
    "when",
    (value) => ({ when: value }),
    TIMES.map((each) => [each, t(`audit.time.${each}`)]),
  );
  const [from, to] = ["from", "to"].map((name) =>
    h("input", {
      class: "f",
      type: "date",
      "aria-label": t(`audit.date.${name}`),
      onchange: (/** @type {Event} */ event) =>
        change({ [name]: /** @type {HTMLInputElement} */ (event.target).value }),
    }),
  );
  const failures = h(
    "button",
    {
      class: "chip",
      type: "button",
      onclick: () => change({ failed: failures.getAttribute("aria-pressed") === "true" ? "" : "true" }),
    },
    t("audit.failures"),
  );

  /** @param {string} name
   * @param {(value: string) => Filters} meaning
   * @param {[string, string][]} options */
  function select(name, meaning, options) {
    const field = h(
      "select",
      { class: "f", "aria-label": t(`audit.${name}`), onchange: () => change(meaning(field.value)) },
      ...options.map(([value, text]) => h("option", { value }, text)),
    );
    return field;
  }

  /** Show the filters in the controls.
   * @param {Filters} filters */
  function update(filters) {
    const chosen = filters.actor_id ?? filters.source ?? "";
    setChildren(
      who,
      ...actorChoices(filters.actor_id).map(([value, text]) =>
        h("option", { value, selected: value === chosen }, text),
      ),
    );
    what.value = filters.area ?? "";
    when.value = filters.when ?? "all";
    from.hidden = to.hidden = filters.when !== "range";
    from.value = filters.from ?? "";
    to.value = filters.to ?? "";
    failures.setAttribute("aria-pressed", String(filters.failed === "true"));
    if (document.activeElement !== search) search.value = filters.search ?? nameOfObject(filters.object) ?? "";
  }
  return {
    elements: [
      h("div", { class: "big-find" }, icon("search", "s"), search, offers),
      who,
      what,
      when,
      from,
      to,
      failures,
    ],
    update,
  };
}

/** Everybody, what is not a person, and the people who administrate; any other person by the button in a row.
 * @param {string | undefined} chosen
 * @returns {[string, string][]} */
function actorChoices(chosen) {
  const admins = [...people.values()].filter(
    (person) => !person.is_bot && ((person.role ?? 400) <= MODERATOR || String(person.user_id) === chosen),
  );
  const named = admins
    .map((person) => /** @type {[string, string]} */ ([String(person.user_id), person.full_name]))
    .sort((a, b) => a[1].localeCompare(b[1]));
  return [
    ["", t("audit.everybody")],
    ["command", t("audit.command-line")],
    ["provider", t("audit.providers")],
    ...named,
  ];
}

/** The people and channels that a text may mean; undefined if it is the name of one.
 * @param {string} text */
function objectCompletions(text) {
  if (searchFilters(text.trim()).object) return undefined;
  const completions = objectsNamed(text)
    .slice(0, MAX_OFFERED)
    .map(([name, object]) => {
      const [kind, id] = object.split("/");
      return {
        insert: name,
        label: name,
        hint: kind === "user" ? "" : t("audit.area.channels"),
        ...(kind === "user" && { person: Number(id) }),
      };
    });
  return { from: 0, to: text.length, completions };
}

/** People and channels with a word that begins with a text, with the objects that the log knows them by.
 * @param {string} text
 * @returns {[string, string][]} */
function objectsNamed(text) {
  const start = normalizeText(text).trim();
  if (!start) return [];
  const all = [
    ...[...people.values()].map((person) => [person.full_name, `user/${person.user_id}`]),
    ...[...channels.values()].map((channel) => [channel.name, `channel/${channel.stream_id}`]),
  ];
  return /** @type {[string, string][]} */ (all.filter(([name]) => ` ${normalizeText(name)}`.includes(` ${start}`)));
}

/** A full name of a person or channel finds what was done to it; any other text is searched.
 * @param {string} text
 * @returns {Filters} */
function searchFilters(text) {
  const same = objectsNamed(text).find(([name]) => name.toLowerCase() === text.toLowerCase());
  return { object: same?.[1] ?? "", search: same ? "" : text };
}

/** @param {string | undefined} object */
function nameOfObject(object) {
  const [kind, id] = object?.split("/") ?? [];
  return kind === "user"
    ? people.get(Number(id))?.full_name
    : kind === "channel"
      ? channels.get(Number(id))?.name
      : object;
}

/** @param {Entry} entry
 * @param {Pane} pane
 * @param {(changed: Filters) => unknown} change */
function entryRow(entry, pane, change) {
  const details = detailsOf(entry, pane.pending.list);
  const name = h("bdi", { class: "cut" }, actorName(entry));
  const { actor_id: actor } = entry;
  const who =
    actor === null
      ? h("span", { class: "pn" }, name)
      : h(
          "button",
          {
            class: "pn",
            type: "button",
            title: t("audit.only", { name: actorName(entry) }),
            onclick: () => change({ actor_id: String(actor), source: "" }),
          },
          avatar(actor),
          name,
        );
  const link = h(
    "a",
    {
      href: entryAddress(entry),
      title: formatFullTime(entry.at),
      onclick: (/** @type {Event} */ event) => {
        event.preventDefault();
        pane.show("audit-log", [String(entry.id)]);
      },
    },
    formatShortTime(entry.at, true),
  );
  return h(
    "tr",
    {},
    h("td", { class: "fact nowrap num" }, link),
    h("td", { class: "whoc" }, who),
    h("td", { class: isFailed(entry) && "badt" }, ...sentenceOf(entry), ...details.map((each) => h("small", {}, each))),
    h("td", { class: "fact nowrap" }, t(`audit.area.${entry.area}`)),
    h(
      "td",
      { class: "fact num" },
      entry.actor_id === null ? (entry.address.split(", ")[1] ?? entry.address) : entry.address,
    ),
  );
}
