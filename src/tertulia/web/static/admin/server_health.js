/** The state of the server in a line each, for owners: backup, disk, version, certificate, leader. */

import { get } from "../core/api.js";
import { h } from "../core/html.js";
import { currentLanguage, t } from "../core/i18n.js";
import { DAY_SECONDS, formatAgo } from "../views/time.js";
import { formatSize } from "../views/file_card.js";
import { sectionHead } from "./parts.js";

/** @typedef {import("../core/api_types.d.ts").Schemas["HealthPart"]} Part */

export async function healthPage() {
  const { parts, operator_page: page } = await get("/server_health");
  return [
    h(
      "div",
      { class: "oversight" },
      sectionHead(t("org.health"), t("health.text"), page && h("a", { class: "b", href: page }, t("health.operator"))),
      h(
        "ul",
        { class: "health", tabindex: 0 },
        ...parts.map((part) =>
          h(
            "li",
            { class: part.state },
            h("span", { class: "st" }, t(`health.state.${part.state}`)),
            h("b", {}, t(`health.${part.name}`)),
            h("span", {}, describePart(part)),
          ),
        ),
      ),
    ),
  ];
}

/** @param {Part} part
 * @returns {string} */
function describePart({ name, state, facts }) {
  const now = Date.now() / 1000;
  if (state === "off") return t(`health.off.${name}`);
  if (name === "backup")
    return facts.age_seconds === null
      ? t("health.no-backup")
      : t(facts.has_failed ? "health.backup-failed" : "health.backup-age", {
          when: formatAgo(now - Number(facts.age_seconds)),
        });
  if (name === "disk")
    return t("health.disk-free", {
      free: formatSize(Number(facts.free_bytes)),
      total: formatSize(Number(facts.total_bytes)),
    });
  if (name === "version")
    return facts.older
      ? t("health.versions", { version: String(facts.version), older: String(facts.older) })
      : t("health.version-of", { version: String(facts.version ?? "–"), count: Number(facts.servers) });
  if (name === "certificate")
    return t("health.certificate-left", {
      days: new Intl.NumberFormat(currentLanguage(), { style: "unit", unit: "day", unitDisplay: "long" }).format(
        Math.max(0, Math.floor(Number(facts.left_seconds) / DAY_SECONDS)),
      ),
    });
  return facts.server
    ? t("health.leader-since", { server: String(facts.server), when: formatAgo(Number(facts.since ?? now)) })
    : t("health.no-leader");
}
