/** Personal settings. */

import { get, patch, post, remove } from "../core/api.js";
import { setChildren, h, iconButton } from "../core/html.js";
import { isDense, setDense } from "../state/density.js";
import { areShortcutsOff, setShortcutsOff } from "../views/keys.js";
import { avatar } from "../views/avatars.js";
import { state, myId, realm } from "../state/session.js";
import { getPerson, nameOf, people } from "../state/people.js";
import { ownTimeZone, timeZones } from "../state/time_zones.js";
import { formatFullTime } from "../views/time.js";
import { t } from "../core/i18n.js";
import { agentsPage } from "./agents.js";
import { actionButton, choiceRow, formSection, labelled, settingRow } from "./forms.js";
import { personalSections } from "./personal_settings.js";
import { profileFieldRow } from "./profile_values.js";
import { openTabbedDialog } from "./tabbed_dialog.js";
import { fileButton } from "./file_button.js";
import { uploadedFilesPage } from "./uploaded_files.js";
import { pushServerSection } from "./push_server.js";
import { pushRows } from "./web_push.js";

const OUTGOING_WEBHOOK = 3; // a kind of bot

/** @param {{rest?: string[]}} [route] */
export function showSettings(route) {
  openTabbedDialog(
    t("view.settings"),
    "#settings",
    [
      { key: "profile", title: t("head.profile"), draw: profilePage },
      { key: "account-and-privacy", title: t("settings.account"), draw: accountPage },
      { key: "preferences", title: t("settings.display"), draw: displayPage },
      { key: "notifications", title: t("settings.notifications"), draw: notificationsPage },
      { key: "your-bots", title: t("settings.bots"), draw: botsPage },
      { key: "agents", title: t("agents.title"), draw: agentsPage },
      { key: "uploaded-files", title: t("files.title"), draw: uploadedFilesPage },
      { key: "alert-words", title: t("settings.alert-words"), draw: alertWordsPage },
      { key: "muted-users", title: t("settings.muted"), draw: mutedPage },
    ],
    route?.rest?.[0],
  );
}

function profilePage() {
  const me = getPerson(myId());
  const fields = state.custom_profile_fields ?? [];
  const picture = h(
    "div",
    { class: "set" },
    avatar(myId(), { extra: "big" }),
    fileButton("/users/me/avatar", t("profile.change-picture"), "image/*"),
    actionButton(t("profile.remove-picture"), () => remove("/users/me/avatar")),
  );
  return [
    formSection(
      t("head.profile"),
      picture,
      settingRow({
        name: "full_name",
        label: t("label.name"),
        value: me.full_name,
        save: (value) => patch("/settings", { full_name: value }),
      }),
      settingRow({
        name: "status_text",
        label: t("profile.status"),
        value: state.user_status?.[myId()]?.status_text ?? "",
        save: (value) => post("/users/me/status", { status_text: value }),
      }),
      choiceRow(t("profile.timezone"), timeZones(), me.timezone || ownTimeZone(), (zone) =>
        patch("/settings", { timezone: zone }),
      ),
    ),
    fields.length > 0 &&
      formSection(
        t("profile.more"),
        ...fields.map((field) => profileFieldRow(field, me.profile_data?.[field.id]?.value ?? "")),
      ),
  ];
}

async function accountPage() {
  const { sessions } = await get("/users/me/sessions");
  const list = h("ul", { class: "plain kept" }, ...sessions.map(sessionRow));
  const key = h("code", { class: "key" });
  const file = h("a", { class: "b", download: "zuliprc", hidden: true }, "zuliprc");
  const shown = h("input", {
    class: "f",
    type: "password",
    "aria-label": t("account.password-for-key"),
    autocomplete: "current-password",
  });
  const showKey = (/** @type {string} */ value) => {
    key.textContent = value;
    file.href = zuliprc(state.email ?? "", value);
    file.hidden = false;
  };
  const old = h("input", {
    class: "f",
    type: "password",
    "aria-label": t("account.old"),
    autocomplete: "current-password",
  });
  const fresh = h("input", {
    class: "f",
    type: "password",
    "aria-label": t("account.new"),
    autocomplete: "new-password",
  });
  return [
    formSection(
      t("account.address"),
      settingRow({
        name: "email",
        label: t("account.email"),
        value: state.delivery_email,
        kind: "email",
        save: (value) => patch("/settings", { email: value }),
      }),
    ),
    formSection(
      t("account.password"),
      h("label", { class: "field" }, t("account.old"), old),
      h("label", { class: "field" }, t("account.new"), fresh),
      actionButton(t("account.change"), () =>
        patch("/settings", { old_password: old.value, new_password: fresh.value }),
      ),
      h("a", { class: "b", href: "/accounts/second_factor/" }, t("account.second-factor")),
    ),
    formSection(
      t("account.sessions"),
      list,
      actionButton(t("account.end-others"), () =>
        remove("/users/me/sessions").then(() =>
          list.querySelectorAll("li:not(.current)").forEach((row) => row.remove()),
        ),
      ),
    ),
    formSection(
      t("account.key"),
      h("p", { class: "quiet" }, t("account.key-text")),
      labelled(t("account.password-for-key"), shown),
      actionButton(t("account.show-key"), async () =>
        showKey(
          (await post("/fetch_api_key", { username: state.delivery_email || state.email, password: shown.value }))
            .api_key,
        ),
      ),
      actionButton(t("account.renew-key"), async () => showKey((await post("/users/me/api_key/regenerate")).api_key)),
      key,
      file,
    ),
    ...(await personalSections("account-and-privacy")),
    formSection(
      t("account.export"),
      h("p", { class: "quiet" }, t("account.export-text")),
      actionButton(t("account.export-do"), () =>
        post(`/users/${myId()}/export`).then(() => t("channel.export-started")),
      ),
    ),
  ];
}

/** @param {import("../core/api_types.d.ts").Schemas["SessionObject"]} session */
function sessionRow(session) {
  const row = h(
    "li",
    { class: session.is_current && "current" },
    h("span", { title: session.agent }, agentName(session.agent)),
    h(
      "small",
      {},
      session.is_current ? t("account.this") : `${session.address} · ${formatFullTime(session.last_seen)}`,
    ),
    !session.is_current &&
      iconButton("close", t("account.end"), {
        onclick: () => remove(`/users/me/sessions/${session.id}`).then(() => row.remove()),
      }),
  );
  return row;
}

/** The common names of a browser and its system.
 * @param {string} agent */
function agentName(agent) {
  const found = (/** @type {[RegExp, string][]} */ kinds) => kinds.find(([pattern]) => pattern.test(agent))?.[1];
  const browser =
    found([
      [/ZulipElectron/, "Zulip Desktop"],
      [/Edg\//, "Edge"],
      [/Firefox\//, "Firefox"],
      [/Chrom(e|ium)\//, "Chrome"],
      [/Safari\//, "Safari"],
    ]) ??
    (agent.split(/[ /]/)[0] || t("account.browser"));
  const system = found([
    [/Android/, "Android"],
    [/iPhone|iPad/, "iOS"],
    [/Windows/, "Windows"],
    [/Mac OS/, "macOS"],
    [/Linux|X11/, "Linux"],
  ]);
  return system ? t("account.on", { browser, system }) : browser;
}

async function displayPage() {
  const dense = settingRow({
    name: "dense",
    label: t("display.dense"),
    value: isDense(),
    save: async (value) => setDense(Boolean(value)),
  });
  return [
    ...(await personalSections("preferences", {}, { look: [dense] })),
    formSection(
      t("keys.title"),
      settingRow({
        name: "keys",
        label: t("keys.off"),
        value: areShortcutsOff(),
        save: async (value) => setShortcutsOff(Boolean(value)),
      }),
    ),
  ];
}

async function notificationsPage() {
  const ask = actionButton(t("notify.allow"), async () => t(`notify.${await Notification.requestPermission()}`));
  const here = ["Notification" in window && ask, ...(await pushRows())];
  return [...(await personalSections("notifications", { here })), ...(await pushServerSection())];
}

async function botsPage() {
  const { bots } = await get("/bots");
  const list = h("ul", { class: "plain kept" }, ...bots.map(botRow));
  const name = h("input", { class: "f", "aria-label": t("label.name") });
  const short = h("input", { class: "f", "aria-label": t("bots.short") });
  const kind = h(
    "select",
    { class: "f", "aria-label": t("label.kind") },
    ...[1, 2, OUTGOING_WEBHOOK].map((each) => h("option", { value: each }, t(`bots.kind.${each}`))),
  );
  const url = h("input", { class: "f", type: "url", placeholder: "https://", "aria-label": t("label.url") });
  const urlField = h(
    "label",
    { class: "field", hidden: true },
    t("label.url"),
    url,
    h("small", { class: "hint" }, t("bots.url-hint")),
  );
  kind.addEventListener("change", () => {
    urlField.hidden = Number(kind.value) !== OUTGOING_WEBHOOK;
  });
  return [
    formSection(t("settings.bots"), list),
    formSection(
      t("bots.add"),
      h("label", { class: "field" }, t("label.name"), name),
      h("label", { class: "field" }, t("bots.short"), short),
      h("label", { class: "field" }, t("label.kind"), kind),
      urlField,
      actionButton(t("bots.add"), async () => {
        await post("/bots", {
          full_name: name.value,
          short_name: short.value,
          bot_type: Number(kind.value),
          ...(!urlField.hidden && { payload_url: url.value }),
        });
        for (const field of [name, short, url]) field.value = "";
        setChildren(list, ...(await get("/bots")).bots.map(botRow));
      }),
    ),
  ];
}

/** The URL of a zuliprc file with an API key.
 * @param {string} email
 * @param {string} key */
function zuliprc(email, key) {
  const config = `[api]\nemail=${email}\nkey=${key}\nsite=${location.origin}\n`;
  return URL.createObjectURL(new Blob([config], { type: "text/plain" }));
}

/** @param {import("../core/api_types.d.ts").Schemas["OwnBot"]} bot */
function botRow(bot) {
  const file = zuliprc(bot.username, bot.api_key);
  const row = h(
    "li",
    {},
    h(
      "div",
      { class: "of" },
      h("bdi", {}, bot.full_name),
      " ",
      h("small", {}, bot.username),
      h("code", { class: "key" }, bot.api_key),
    ),
    h("a", { class: "b bare", href: file, download: "zuliprc" }, "zuliprc"),
    iconButton("trash", t("bots.remove", { name: bot.full_name }), {
      onclick: () => remove(`/bots/${botId(bot.username)}`).then(() => row.remove()),
    }),
  );
  return row;
}

/** The list of bots has no ids.
 * @param {string} email */
function botId(email) {
  return [...people.values()].find(
    (person) => person.is_bot && (person.email === email || person.delivery_email === email),
  )?.user_id;
}

function alertWordsPage() {
  const list = h("ul", { class: "plain kept" });
  const field = h("input", { class: "f", "aria-label": t("alert.word"), maxlength: 100 });
  const draw = (/** @type {string[]} */ words) =>
    setChildren(
      list,
      ...words.map((word) =>
        h(
          "li",
          {},
          h("bdi", {}, word),
          iconButton("close", t("alert.remove", { word }), {
            onclick: async () => draw((await remove("/users/me/alert_words", { alert_words: [word] })).alert_words),
          }),
        ),
      ),
    );
  draw(state.alert_words ?? []);
  return [
    formSection(
      t("settings.alert-words"),
      h("p", { class: "quiet" }, t("alert.text")),
      list,
      h("label", { class: "field" }, t("alert.word"), field),
      actionButton(t("dialog.add"), async () => {
        draw((await post("/users/me/alert_words", { alert_words: [field.value] })).alert_words);
        field.value = "";
      }),
    ),
  ];
}

function mutedPage() {
  const rows = (state.muted_users ?? []).map(({ id }) => {
    const row = h(
      "li",
      {},
      h("bdi", {}, nameOf(id)),
      iconButton("close", t("muted.undo", { name: nameOf(id) }), {
        onclick: () => remove(`/users/me/muted_users/${id}`).then(() => row.remove()),
      }),
    );
    return row;
  });
  return [
    formSection(
      t("settings.muted"),
      rows.length
        ? h("ul", { class: "plain kept" }, ...rows)
        : h("p", { class: "quiet" }, t("muted.none", { name: realm("name") ?? "" })),
    ),
  ];
}
