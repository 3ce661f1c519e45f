/** Integrations: the catalogue of webhooks with the address to copy, examples, templates with a preview, and bots. */

import { get, post } from "../core/api.js";
import { h, icon, setChildren } from "../core/html.js";
import { t } from "../core/i18n.js";
import { myChannels } from "../state/channels.js";
import { nameOf } from "../state/people.js";
import { ChoiceField } from "../views/choice_field.js";
import { enhance } from "../views/rendered_content.js";
import { formatAgo } from "../views/time.js";
import { actionButton, labelled } from "../dialogs/forms.js";
import { dataTable, sectionHead } from "./parts.js";

/** @typedef {import("./sections.js").Pane} Pane */
/** @typedef {import("../core/api_types.d.ts").Schemas["CatalogueEntry"]} Service */
/** @typedef {import("../core/api_types.d.ts").Schemas["IntegrationBot"]} Bot */
/** @typedef {import("../core/html.js").Child} Child */

const KEY = "API_KEY"; // in an address, until the key is shown
const OUTGOING = 3;
const TEMPLATE = "template";
const EXAMPLE = {
  payload: '{"status": "firing", "alerts": [{"name": "Water in the cellar", "level": 3}]}',
  topic: "Alerts: {{ status }}",
  text: "{% for each in alerts %}* **{{ each.name }}**, level {{ each.level }}\n{% endfor %}",
};

/** @param {Pane} pane */
export async function integrationsPage(pane) {
  const [{ integrations }, { bots }] = await Promise.all([get("/integrations"), get("/integrations/bots")]);
  const service = integrations.find((each) => each.name === pane.rest[0]);
  return [
    h(
      "div",
      { class: "oversight" },
      ...(service ? servicePage(service, bots, pane) : catalogue(integrations, bots, pane)),
    ),
  ];
}

/** @param {Service[]} services
 * @param {Bot[]} bots
 * @param {Pane} pane
 * @returns {Child[]} */
function catalogue(services, bots, pane) {
  const list = h("ul", { class: "services" });
  const search = h("input", {
    type: "search",
    "aria-label": t("hooks.find"),
    placeholder: t("hooks.find"),
    oninput: () => draw(),
  });
  const draw = () => {
    const wanted = search.value.trim().toLowerCase();
    setChildren(
      list,
      ...services
        .filter((each) => serviceName(each).toLowerCase().includes(wanted))
        .map((each) =>
          h(
            "li",
            {},
            h(
              "button",
              { class: "b", type: "button", onclick: () => pane.show("integrations", [each.name]) },
              serviceName(each),
            ),
          ),
        ),
    );
  };
  draw();
  return [
    sectionHead(t("org.integrations"), t("hooks.text")),
    h("h3", {}, t("settings.bots")),
    botTable(bots),
    h("h3", {}, t("hooks.services")),
    h("div", { class: "filters" }, h("div", { class: "big-find" }, icon("search", "s"), search)),
    list,
  ];
}

/** @param {Service} service */
function serviceName(service) {
  return service.name === TEMPLATE ? t("hooks.json-template") : service.display_name;
}

/** @param {Bot[]} bots */
function botTable(bots) {
  if (!bots.length) return h("p", { class: "quiet" }, t("hooks.no-bots"));
  const heads = ["bot", "owner", "used", "key", "calls"].map((each) => t(`hooks.${each}`));
  return dataTable(t("settings.bots"), heads, h("tbody", {}, ...bots.map(botRow)), "blocks");
}

/** @param {Bot} bot */
function botRow(bot) {
  const failed = bot.failures > 0;
  const calls =
    bot.bot_type === OUTGOING
      ? failed
        ? [
            t("hooks.failures", { count: bot.failures }),
            h(
              "small",
              {},
              h("bdi", { lang: "en" }, bot.last_error),
              " ",
              bot.last_failure !== null && formatAgo(bot.last_failure),
            ),
          ]
        : [t("hooks.well")]
      : [];
  const owner = bot.bot_owner_id;
  return h(
    "tr",
    {},
    h("td", {}, h("b", {}, h("bdi", {}, nameOf(bot.user_id))), h("small", {}, t(`hooks.kind.${bot.bot_type}`))),
    h("td", { class: "fact", "data-l": t("hooks.owner") }, owner === null ? "–" : h("bdi", {}, nameOf(owner))),
    h(
      "td",
      { class: "fact", "data-l": t("hooks.used") },
      bot.last_used === null ? t("hooks.never") : formatAgo(bot.last_used),
    ),
    h("td", {}, keyCell(bot)),
    h("td", { class: failed && "badt" }, ...calls),
  );
}

/** A button that shows the key; reading it is in the audit log.
 * @param {Bot} bot */
function keyCell(bot) {
  const cell = h(
    "span",
    {},
    h(
      "button",
      {
        class: "b",
        type: "button",
        "aria-label": t("hooks.show-key-of", { name: nameOf(bot.user_id) }),
        onclick: async () => {
          try {
            setChildren(cell, h("code", {}, (await get(`/bots/${bot.user_id}/api_key`)).api_key));
          } catch (error) {
            setChildren(cell, h("small", { class: "wrong" }, /** @type {Error} */ (error).message));
          }
        },
      },
      t("account.show-key"),
    ),
  );
  return cell;
}

/** @param {Service} service
 * @param {Bot[]} bots
 * @param {Pane} pane
 * @returns {Child[]} */
function servicePage(service, bots, pane) {
  const usable = bots.filter((each) => each.bot_type !== OUTGOING);
  const bot = h(
    "select",
    { class: "f" },
    ...usable.map((each) => h("option", { value: each.user_id }, nameOf(each.user_id))),
  );
  const choices = [
    { value: "", label: t("hooks.to-owner") },
    ...myChannels().map(({ name }) => ({ value: name, label: name })),
  ];
  const channel = new ChoiceField(t("label.channel"), choices, t("choice.unknown"), {
    value: "",
    changed: () => update(),
  });
  const topic = h("input", { class: "f", placeholder: t("hooks.topic-hint"), dir: "auto" });
  const address = h("input", { dir: "ltr", class: "f", readonly: true, "aria-label": t("hooks.address") });
  const templates = service.name === TEMPLATE ? templateFields(() => update()) : undefined;
  let key = KEY;
  const update = () => {
    const given = { api_key: key, stream: channel.value ?? "", topic: topic.value, ...templates?.values() };
    const query = new URLSearchParams(Object.entries(given).filter(([, value]) => value));
    address.value = `${location.origin}/api/v1/external/${service.name}?${query}`;
  };
  bot.addEventListener("change", () => {
    key = KEY;
    update();
  });
  topic.addEventListener("input", update);
  update();
  const withKey = actionButton(t("hooks.with-key"), async () => {
    key = (await get(`/bots/${bot.value}/api_key`)).api_key;
    update();
  });
  const copy = h(
    "button",
    {
      class: "b",
      type: "button",
      onclick: () => navigator.clipboard.writeText(address.value).catch(() => address.select()),
    },
    icon("copy", "s"),
    t("dialog.copy"),
  );
  const example = actionButton(t("hooks.example"), async () => {
    if (!channel.validate()) return "";
    await post(`/integrations/${service.name}/example`, {
      bot_id: Number(bot.value),
      stream: channel.value,
      topic: topic.value,
    });
    return t("hooks.sent");
  });
  return [
    h("p", {}, h("button", { class: "b", type: "button", onclick: () => pane.show("integrations") }, t("hooks.all"))),
    sectionHead(
      serviceName(service),
      t("hooks.where", { name: serviceName(service) }),
      h("p", {}, ...withNames(t(`hooks.setup.${service.name}`))),
    ),
    h(
      "div",
      { class: "form" },
      usable.length ? labelled(t("hooks.bot"), bot) : h("p", { class: "wrong" }, t("hooks.need-bot")),
      h(
        "div",
        { class: "row2" },
        h("div", { class: "field" }, h("span", { "aria-hidden": "true" }, t("label.channel")), channel.element),
        labelled(t("compose.topic"), topic),
      ),
      ...(templates?.elements ?? []),
      labelled(t("hooks.address"), h("span", { class: "copyline" }, address, copy)),
      usable.length > 0 && withKey,
      usable.length > 0 && example,
      service.is_signed && h("p", { class: "quiet" }, t("hooks.signed", { name: serviceName(service) })),
      service.all_event_types &&
        h(
          "details",
          {},
          h("summary", {}, t("hooks.events", { count: service.all_event_types.length })),
          h("p", {}, t("hooks.only-events")),
          h("p", {}, h("code", {}, service.all_event_types.join(", "))),
        ),
    ),
  ];
}

/** Fields of a JSON webhook: templates, a payload to try, and the message that they make.
 * @param {() => void} changed */
function templateFields(changed) {
  const topic = area(EXAMPLE.topic, 1);
  const text = area(EXAMPLE.text, 4);
  const payload = area(EXAMPLE.payload, 5);
  const shown = h("div", { class: "shown", role: "status", hidden: true });
  const preview = actionButton(t("compose.preview"), async () => {
    shown.hidden = true;
    const found = await post("/integrations/template/preview", {
      payload: payload.value,
      text_template: text.value,
      topic_template: topic.value,
    });
    setChildren(
      shown,
      found.rendered === null ? t("hooks.nothing") : h("b", {}, h("bdi", {}, found.topic)),
      found.rendered !== null && enhance(found.rendered),
    );
    shown.hidden = false;
  });
  for (const field of [topic, text]) field.addEventListener("input", changed);

  /** @param {string} value
   * @param {number} rows */
  function area(value, rows) {
    const field = h("textarea", { class: "f", rows, spellcheck: "false", dir: "ltr" });
    field.value = value;
    return field;
  }
  const values = () => ({ topic_template: topic.value, text_template: text.value });
  return {
    elements: [
      labelled(t("hooks.topic-template"), topic),
      labelled(t("hooks.text-template"), text),
      labelled(t("hooks.payload"), payload),
      preview,
      shown,
    ],
    values,
  };
}

/** A text with code between backticks, and between asterisks what the service calls its pages and fields, in English.
 * @param {string} text
 * @returns {Child[]} */
function withNames(text) {
  return text.split(/(`[^`]*`|\*[^*]*\*)/).map((part) => {
    if (part.startsWith("`")) return h("code", { dir: "ltr" }, part.slice(1, -1));
    return part.startsWith("*") ? h("b", { lang: "en", dir: "ltr" }, part.slice(1, -1)) : part;
  });
}
