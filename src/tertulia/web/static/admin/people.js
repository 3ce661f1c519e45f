/** The accounts of the organization: a table to search, filter and sort, roles of several at once, and what can be
 * done with one account. */

import { get, patch, post, remove } from "../core/api.js";
import { h, icon, setChildren, srOnly } from "../core/html.js";
import { formatList, formatNumber, t } from "../core/i18n.js";
import { oneAtATime } from "../core/signals.js";
import { myId, state } from "../state/session.js";
import { nameOf } from "../state/people.js";
import { avatar } from "../views/avatars.js";
import { formatDate, formatFullTime, formatShortTime } from "../views/time.js";
import { confirmAction, openDialog } from "../dialogs/dialog.js";
import { actionButton, groupName, settingRow } from "../dialogs/forms.js";
import { formatSize } from "../views/file_card.js";
import { dataTable, headButton, menuButton, sectionHead } from "./parts.js";

/** @typedef {import("../core/api_types.d.ts").Schemas["AccountObject"]} Account */
/** @typedef {import("./sections.js").Pane} Pane */

const ROLES = [100, 200, 300, 400, 600];
const PAGE_LENGTH = 50;
const MAX_PER_REQUEST = 500;
const MAX_ROLE_CHANGES = 100;
const COLUMNS = /** @type {const} */ ([
  ["name", "people.person"],
  ["role", "people.role"],
  ["last_active", "people.last-active"],
  ["second-factor", "account.second-factor"],
  ["storage", "people.storage"],
  ["sessions", "people.sessions"],
]);
const UNSORTED = "second-factor"; // a filter finds the accounts without one
const NUMBERS = new Set(["storage", "sessions"]);

/** @param {Pane} pane */
export async function orgUsers(pane) {
  if (!state.is_admin) return [sectionHead(t("org.users")), h("p", { class: "quiet" }, t("admin.administrators"))];
  const find = h("input", {
    type: "search",
    "aria-label": t("people.find"),
    placeholder: t("people.find"),
    autocomplete: "off",
  });
  const role = h(
    "select",
    { class: "f", "aria-label": t("people.role") },
    h("option", { value: "" }, t("people.all-roles")),
    ...ROLES.map((each) => h("option", { value: each }, t(`role.${each}`))),
  );
  const standing = choice(t("people.standing"), [
    ["active", t("people.active")],
    ["deactivated", t("people.deactivated")],
    ["all", t("people.any-standing")],
  ]);
  const kind = choice(t("people.kind"), [
    ["people", t("people.persons")],
    ["bots", t("people.bots")],
    ["all", t("people.any-kind")],
  ]);
  const unsecured = h(
    "button",
    {
      class: "chip",
      type: "button",
      "aria-pressed": "false",
      onclick: () => {
        unsecured.setAttribute("aria-pressed", String(unsecured.getAttribute("aria-pressed") !== "true"));
        draw();
      },
    },
    t("people.without-second-factor"),
  );
  const count = h("span", { class: "quiet", role: "status" });
  const note = h("p", { class: "wrong", role: "alert" });
  const body = h("tbody");
  const more = h(
    "button",
    { class: "b", type: "button", onclick: oneAtATime(() => report(() => load(true))) },
    t("people.more"),
  );
  const tally = h("span", { role: "status" });
  const newRole = h(
    "select",
    { class: "f", "aria-label": t("people.new-role") },
    ...ROLES.map((each) => h("option", { value: each, selected: each === 400 }, t(`role.${each}`))),
  );
  const bulk = h(
    "div",
    { class: "filters bulk", hidden: true },
    tally,
    h("button", { class: "b", type: "button", onclick: oneAtATime(() => report(selectAll)) }, t("people.select-all")),
    newRole,
    h("button", { class: "b", type: "button", onclick: oneAtATime(changeRoles) }, t("people.change-role")),
  );
  let sort = /** @type {string} */ ("name");
  let isDescending = false;
  /** @type {Account[]} */
  let shown = [];
  /** @type {Set<number>} */
  const selected = new Set();
  let turn = 0;
  const heads = new Map(
    COLUMNS.map(([key, title]) => [
      key,
      h(
        "th",
        { scope: "col", class: NUMBERS.has(key) ? "r" : "" },
        key === UNSORTED
          ? t(title)
          : h("button", { class: "sort", type: "button", onclick: () => sortBy(key) }, t(title)),
      ),
    ]),
  );

  /** @param {string} key */
  function sortBy(key) {
    isDescending = sort === key ? !isDescending : key !== "name" && key !== "role";
    sort = key;
    draw();
  }

  function wanted() {
    return {
      query: find.value.trim(),
      role: role.value ? Number(role.value) : undefined,
      standing: standing.value,
      account_kind: kind.value,
      without_second_factor: unsecured.getAttribute("aria-pressed") === "true",
    };
  }

  /** @param {boolean} [isNext] whether to add the next accounts, and not to begin again */
  async function load(isNext = false) {
    const own = ++turn;
    const found = await get("/realm/accounts", {
      ...wanted(),
      sort,
      descending: isDescending,
      offset: isNext ? shown.length : 0,
      limit: PAGE_LENGTH,
    });
    if (own !== turn) return;
    shown = isNext ? [...shown, ...found.accounts] : found.accounts;
    count.textContent = t("people.count", { count: found.count });
    more.hidden = shown.length >= found.count;
    for (const [key, head] of heads) {
      if (key === sort) head.setAttribute("aria-sort", isDescending ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    }
    if (isNext) body.append(...found.accounts.map(accountRow));
    else setChildren(body, ...shown.map(accountRow));
  }

  async function draw() {
    selected.clear();
    drawBulk();
    await load().catch((error) => {
      note.textContent = error.message;
    });
  }

  /** Run something and show the accounts again; a refusal is shown.
   * @param {() => Promise<unknown>} work */
  async function attempt(work) {
    await report(async () => {
      await work();
      await load();
    });
  }

  /** @param {() => Promise<unknown>} work */
  async function report(work) {
    note.textContent = "";
    await work().catch((error) => {
      note.textContent = error.message;
    });
  }

  /** Select all people who match the filters, whether or not their rows are loaded. */
  async function selectAll() {
    for (let offset = 0, count = 1; offset < count; offset += MAX_PER_REQUEST) {
      const found = await get("/realm/accounts", { ...wanted(), offset, limit: MAX_PER_REQUEST });
      count = found.count;
      for (const each of found.accounts) if (!each.is_bot && each.user_id !== myId()) selected.add(each.user_id);
    }
    for (const box of body.querySelectorAll("input")) box.checked = selected.has(Number(box.value));
    drawBulk();
  }

  async function changeRoles() {
    const text = t("people.change-role-text", { count: selected.size, role: t(`role.${newRole.value}`) });
    if (!(await confirmAction(t("people.change-role"), text, t("people.change-role")))) return;
    await attempt(async () => {
      while (selected.size) {
        const ids = [...selected].slice(0, MAX_ROLE_CHANGES);
        await patch("/realm/accounts", { account_ids: ids, role: Number(newRole.value) });
        for (const id of ids) selected.delete(id);
      }
    });
    drawBulk();
  }

  function drawBulk() {
    bulk.hidden = selected.size === 0;
    tally.textContent = t("people.selected", { count: selected.size });
  }

  /** @param {Account} account */
  function accountRow(account) {
    const id = account.user_id;
    const box = h("input", {
      type: "checkbox",
      value: id,
      checked: selected.has(id),
      "aria-label": t("people.select", { name: account.full_name }),
      disabled: account.is_bot,
      onchange: () => {
        if (box.checked) selected.add(id);
        else selected.delete(id);
        drawBulk();
      },
    });
    const menu = menuButton(account.full_name, accountMenu(account, attempt, pane));
    const kindOf = account.is_bot
      ? t("people.bot-of", { name: account.bot_owner_id ? nameOf(account.bot_owner_id) : "–" })
      : t(`role.${account.role}`);
    return h(
      "tr",
      { class: !account.is_active && "gone", "data-account": id },
      h("td", { class: "pick" }, box),
      h(
        "td",
        { class: "flexi full" },
        h(
          "span",
          { class: "pn" },
          avatar(id, { presence: account.is_active && !account.is_bot }),
          h(
            "span",
            { class: "of" },
            h("b", { class: "cut" }, h("bdi", {}, account.full_name)),
            h("small", { class: "cut" }, account.delivery_email ?? ""),
          ),
        ),
      ),
      h("td", {}, account.is_active ? kindOf : t("people.deactivated-one", { role: kindOf })),
      h(
        "td",
        { class: "nowrap", title: account.last_active && formatFullTime(account.last_active) },
        account.last_active ? formatShortTime(account.last_active, true) : t("people.never"),
      ),
      h(
        "td",
        { class: "nowrap", "data-l": t("account.second-factor") },
        account.has_second_factor ? h("span", { class: "ok" }, icon("check", "s"), t("admin.on")) : "–",
      ),
      h("td", { class: "r", "data-l": t("people.storage") }, formatSize(account.upload_bytes)),
      h("td", { class: "r", "data-l": t("people.sessions") }, formatNumber(account.session_count)),
      h("td", { class: "m" }, menu),
    );
  }

  let timer = 0;
  find.addEventListener("input", () => {
    clearTimeout(timer);
    timer = window.setTimeout(draw, 150);
  });
  for (const each of [role, standing, kind]) each.addEventListener("change", draw);
  await load();
  return [
    sectionHead(
      t("org.users"),
      undefined,
      headButton(t("invite.people"), () => pane.show("invitations"), "person-plus"),
    ),
    h(
      "div",
      { class: "filters" },
      h("div", { class: "big-find" }, icon("search", "s"), find),
      role,
      standing,
      kind,
      unsecured,
      count,
    ),
    bulk,
    note,
    dataTable(
      t("org.users"),
      [
        h("th", { scope: "col" }, srOnly(t("people.selection"))),
        ...heads.values(),
        h("th", { scope: "col" }, srOnly(t("people.menu"))),
      ],
      body,
    ),
    more,
  ];
}

/** @param {string} label
 * @param {[string, string][]} choices */
function choice(label, choices) {
  return h(
    "select",
    { class: "f", "aria-label": label },
    ...choices.map(([value, text]) => h("option", { value }, text)),
  );
}

/** @param {Account} account
 * @param {(work: () => Promise<unknown>) => Promise<void>} attempt
 * @param {Pane} pane
 * @returns {(import("./parts.js").MenuItem | false)[]} */
function accountMenu(account, attempt, pane) {
  const id = account.user_id;
  const name = account.full_name;
  const path = `/users/${id}`;
  const ask = async (/** @type {string} */ key, /** @type {() => Promise<unknown>} */ work) => {
    if (await confirmAction(t(`people.${key}`), t(`people.${key}-text`, { name }), t(`people.${key}`)))
      await attempt(work);
  };
  const isOther = id !== myId();
  const isPerson = !account.is_bot;
  return [
    { icon: "person", text: t("people.details"), act: () => showAccount(account, attempt) },
    isPerson &&
      account.is_active && {
        icon: "link",
        text: t("people.password-link"),
        act: () => attempt(() => showPasswordLink(account)),
      },
    isPerson &&
      account.is_active && {
        icon: "logout",
        text: t("people.end-sessions"),
        act: () => ask("end-sessions", () => remove(`${path}/sessions`)),
      },
    isPerson &&
      account.has_second_factor && {
        icon: "lock",
        text: t("people.reset-factor"),
        act: () => ask("reset-factor", () => remove(`${path}/second_factor`)),
      },
    isPerson &&
      account.is_active &&
      isOther && {
        icon: "code",
        text: t("people.renew-key"),
        act: () => ask("renew-key", () => post(`${path}/api_key/regenerate`)),
      },
    "line",
    isPerson &&
      isOther && {
        icon: "chat",
        text: t("people.write"),
        act: () => {
          location.hash = `#narrow/dm/${id}`;
        },
      },
    isPerson &&
      isOther &&
      state.is_owner === true && {
        icon: "archive",
        text: t("people.export"),
        act: () => ask("export", () => post(`${path}/export`)),
      },
    { icon: "list", text: t("people.log"), act: () => pane.show("audit-log", [`actor_id=${id}`]) },
    isOther && "line",
    isOther &&
      (account.is_active
        ? {
            icon: "off",
            risk: true,
            text: t("people.deactivate"),
            act: () => ask("deactivate", () => remove(isPerson ? path : `/bots/${id}`)),
          }
        : { icon: "person", text: t("people.reactivate"), act: () => attempt(() => post(`${path}/reactivate`)) }),
    isOther &&
      isPerson && {
        icon: "trash",
        risk: true,
        text: t("people.erase"),
        act: () => attempt(() => eraseAccount(account, attempt)),
      },
  ];
}

/** @param {Account} account */
async function showPasswordLink(account) {
  const { link, expires } = await post(`/users/${account.user_id}/password_link`);
  openDialog(t("people.password-link"), [
    h("p", {}, t("people.password-link-text", { name: account.full_name, when: formatFullTime(expires) })),
    h("p", {}, h("code", { class: "key" }, link)),
  ]);
}

/** A dialog about one account: role, storage, groups, sessions.
 * @param {Account} account
 * @param {(work: () => Promise<unknown>) => Promise<void>} attempt */
async function showAccount(account, attempt) {
  const found = await get(`/users/${account.user_id}/account`);
  const groups = (state.realm_user_groups ?? []).filter((group) => found.group_ids.includes(group.id)).map(groupName);
  const role = settingRow({
    name: "role",
    label: t("people.role"),
    value: account.role,
    disabled: account.user_id === myId() || account.is_bot,
    choices: ROLES.map((each) => [each, t(`role.${each}`)]),
    save: (value) => patch(`/users/${account.user_id}`, { role: value }).then(() => attempt(async () => {})),
  });
  const fact = (/** @type {PlainTextKey} */ key, /** @type {string} */ text) => [
    h("dt", {}, t(key)),
    h("dd", {}, text),
  ];
  const space =
    found.space_quota === null
      ? formatSize(found.space_used)
      : t("people.of-quota", { used: formatSize(found.space_used), quota: formatSize(found.space_quota) });
  openDialog(account.full_name, [
    h(
      "div",
      { class: "fields" },
      role,
      h(
        "dl",
        { class: "facts" },
        ...fact("people.joined", formatFullTime(found.account.date_joined)),
        ...fact(
          "people.last-active",
          found.account.last_active ? formatFullTime(found.account.last_active) : t("people.never"),
        ),
        ...fact("people.storage", space),
        ...fact("account.second-factor", t(found.account.has_second_factor ? "admin.on" : "admin.off")),
        ...fact("groups.title", formatList(groups) || t("org.none")),
        ...fact("people.bots", formatList(found.bot_ids.map((each) => nameOf(each))) || t("org.none")),
      ),
      h(
        "section",
        { class: "fields" },
        h("h2", {}, t("people.sessions")),
        h(
          "ul",
          { class: "plain kept" },
          ...(found.sessions.length
            ? found.sessions.map((session) =>
                h(
                  "li",
                  {},
                  h("span", { class: "cut" }, session.agent),
                  h("small", {}, `${session.address} · ${formatFullTime(session.last_seen)}`),
                ),
              )
            : [h("li", { class: "quiet" }, t("people.no-sessions"))]),
        ),
        found.sessions.length > 0 &&
          actionButton(t("people.end-sessions"), () => remove(`/users/${account.user_id}/sessions`)),
      ),
    ),
  ]);
}

/** Ask how to erase an account, and repeat until everything is deleted.
 * @param {Account} account
 * @param {(work: () => Promise<unknown>) => Promise<void>} attempt */
async function eraseAccount(account, attempt) {
  const found = await get(`/users/${account.user_id}/account`);
  const [from, to] = [found.oldest_timestamp, found.newest_timestamp].map((at) => formatDate(at ?? 0));
  const withMessages = h("input", { type: "checkbox" });
  const typed = h("input", { class: "f", autocomplete: "off", "aria-label": t("people.erase-name") });
  const button = h(
    "button",
    {
      class: "b risk",
      type: "button",
      disabled: true,
      onclick: oneAtATime(async () => {
        await attempt(async () => {
          while (!(await post(`/users/${account.user_id}/erase`, { delete_messages: withMessages.checked })).complete);
        });
        dialog.close();
      }),
    },
    t("people.erase"),
  );
  typed.addEventListener("input", () => {
    button.disabled = typed.value.trim() !== account.full_name;
  });
  const dialog = openDialog(
    t("people.erase"),
    [
      h(
        "div",
        { class: "fields" },
        h("p", {}, t("people.erase-text", { name: account.full_name })),
        found.message_count > 0 &&
          h(
            "label",
            { class: "choice" },
            withMessages,
            t("people.erase-messages", { count: found.message_count, from, to }),
          ),
        h("label", { class: "field" }, h("span", {}, t("people.erase-name")), typed),
      ),
    ],
    { footer: [h("button", { class: "b", type: "button", "data-close": true }, t("dialog.cancel")), button] },
  );
}
