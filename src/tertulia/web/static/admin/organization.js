/** Sections with settings of the organization: profile, settings, permissions, log-in, new accounts. */

import { get, patch, post, remove } from "../core/api.js";
import { h, iconButton, setChildren } from "../core/html.js";
import { formatLabel, t } from "../core/i18n.js";
import { realm, state } from "../state/session.js";
import { confirmAction } from "../dialogs/dialog.js";
import { fileButton } from "../dialogs/file_button.js";
import { actionButton } from "../dialogs/forms.js";
import { byHeading } from "../dialogs/personal_settings.js";
import { settingGroup, organizationRow } from "./setting_rows.js";

/** @typedef {import("./sections.js").Pane} Pane */

/** The head of a section.
 * @param {string} title
 * @param {string} [text]
 * @param {...import("../core/html.js").Child} more */
export function sectionHead(title, text, ...more) {
  return h("div", { class: "ph" }, h("h2", {}, title), ...more, text && h("p", {}, text));
}

/** The groups of settings of a section.
 * @param {Pane} pane
 * @param {string} section */
function groupsOf(pane, section) {
  const { part, settings } = pane.pending.inSection(section);
  return byHeading(settings).map(([heading, own]) =>
    settingGroup(
      t(`part.${heading}`),
      own.map(({ name }) => organizationRow(pane.pending, part, name)),
    ),
  );
}

/** @param {Pane} pane */
export function orgProfile(pane) {
  const logo = (/** @type {boolean} */ night) =>
    h(
      "div",
      { class: "set" },
      fileButton("/realm/logo", t(night ? "org.logo-night" : "org.logo-day"), "image/*", { night: String(night) }),
      actionButton(t("org.no-logo"), () => remove("/realm/logo", { night })),
    );
  const pictures =
    state.is_admin &&
    settingGroup(t("part.pictures"), [
      h(
        "div",
        { class: "set" },
        h("img", { class: "org-icon", src: realm("icon_url"), alt: "" }),
        fileButton("/realm/icon", t("org.icon"), "image/*"),
        actionButton(t("org.no-icon"), () => remove("/realm/icon")),
      ),
      logo(false),
      logo(true),
    ]);
  return [
    sectionHead(t("org.profile")),
    ...groupsOf(pane, "organization-profile"),
    pictures,
    state.is_owner && endOfOrganization(),
  ];
}

/** @param {Pane} pane */
export function orgSettings(pane) {
  return [
    sectionHead(t("org.settings"), t("admin.settings-text", { name: realm("name") ?? "" })),
    ...groupsOf(pane, "organization-settings"),
  ];
}

/** @param {Pane} pane */
export function orgPermissions(pane) {
  return [
    sectionHead(t("org.permissions"), t("admin.permissions-text")),
    ...groupsOf(pane, "organization-permissions"),
  ];
}

/** @param {Pane} pane */
export async function orgLogin(pane) {
  return [sectionHead(t("admin.log-in")), ...groupsOf(pane, "auth-methods"), await mailDomains()];
}

/** @param {Pane} pane */
export function orgNewAccounts(pane) {
  return [
    sectionHead(t("admin.new-accounts"), t("admin.defaults-text")),
    ...groupsOf(pane, "organization-level-user-defaults"),
  ];
}

/** The domains of email addresses that may have accounts. */
async function mailDomains() {
  const list = h("ul", { class: "plain kept" });
  const draw = async () => {
    const { domains } = await get("/realm/domains");
    setChildren(
      list,
      ...(domains.length
        ? domains.map(({ domain, allow_subdomains: isWide }) =>
            h(
              "li",
              {},
              h("span", {}, domain),
              h(
                "span",
                { class: "set" },
                h(
                  "label",
                  { class: "choice" },
                  h("input", {
                    type: "checkbox",
                    checked: isWide,
                    disabled: !state.is_owner,
                    "aria-label": formatLabel(t("domain.subdomains"), domain),
                    onchange: (/** @type {Event} */ event) =>
                      patch(`/realm/domains/${domain}`, {
                        allow_subdomains: /** @type {HTMLInputElement} */ (event.target).checked,
                      }).then(draw, draw),
                  }),
                  t("domain.subdomains"),
                ),
                state.is_owner &&
                  iconButton("trash", t("admin.remove", { name: domain }), {
                    onclick: () => remove(`/realm/domains/${domain}`).then(draw),
                  }),
              ),
            ),
          )
        : [h("li", { class: "quiet" }, t("domain.none"))]),
    );
  };
  await draw();
  const name = h("input", {
    class: "f",
    "aria-label": t("domain.name"),
    placeholder: "example.com",
    autocomplete: "off",
  });
  const isWide = h("input", { type: "checkbox" });
  return settingGroup(t("domain.title"), [
    h("p", { class: "quiet" }, t("domain.text")),
    list,
    .../** @type {HTMLElement[]} */ (
      state.is_owner
        ? [
            h(
              "div",
              { class: "set domain-form" },
              name,
              h("label", { class: "choice" }, isWide, t("domain.subdomains")),
              actionButton(t("domain.add"), async () => {
                await post("/realm/domains", { domain: name.value.trim(), allow_subdomains: isWide.checked });
                name.value = "";
                await draw();
              }),
            ),
          ]
        : []
    ),
  ]);
}

/** The deactivation of the organization, for owners. */
function endOfOrganization() {
  return settingGroup(t("part.end"), [
    h("p", { class: "quiet" }, t("org.end-text")),
    actionButton(
      t("org.end"),
      async () => {
        if (!(await confirmAction(t("org.end"), t("org.end-confirm", { name: realm("name") ?? "" }), t("org.end"))))
          return " ";
        await post("/realm/deactivate");
        location.assign("/");
        return undefined;
      },
      "risk",
    ),
  ]);
}
