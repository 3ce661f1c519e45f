/** The sections that watch over the organization: audit log, usage, integrations, legal holds, the state of the server. */

import { addTexts } from "../core/i18n.js";
import { auditPage } from "./audit_log.js";
import { integrationsPage } from "./integrations.js";
import { holdsPage } from "./legal_holds.js";
import { oversightTexts } from "./oversight_texts.js";
import { healthPage } from "./server_health.js";
import { usagePage } from "./usage.js";

/** @typedef {import("./sections.js").Pane} Pane */

addTexts(oversightTexts);

/** @param {Pane} pane */
export function drawAuditLog(pane) {
  return auditPage(pane);
}

export function drawUsage() {
  return usagePage();
}

/** @param {Pane} pane */
export function drawIntegrations(pane) {
  return integrationsPage(pane);
}

export function drawHolds() {
  return holdsPage();
}

export function drawHealth() {
  return healthPage();
}
