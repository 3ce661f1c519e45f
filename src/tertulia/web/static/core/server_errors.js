/** Errors of the server in the person's language. The server describes them in English; the page finds its own text by
 * the description, or by the error's code. */

import { addTexts, t } from "./i18n.js";
import { errorTexts } from "./error_texts.js";

/** The text of each code. Only `BAD_REQUEST` does not say what is wrong.
 * @type {Record<string, string>} */
const CODES = {
  ADMIN_ACTION_REQUIRED: "push", AGENT_ACCESS_ENDED: "agent", AGENT_MAY_NOT_WRITE: "forbidden", ANOMALOUS_WEBHOOK_PAYLOAD: "webhook", AUTHENTICATION_FAILED: "credentials", AUTHENTICATION_METHOD_DISABLED: "method",
  BAD_EVENT_QUEUE_ID: "logged-out", BAD_IMAGE: "image", BAD_NARROW: "search", CANNOT_DEACTIVATE_GROUP_IN_USE: "group", CANNOT_DEACTIVATE_LAST_USER: "last-owner", CHANNEL_ALREADY_EXISTS: "channel", CSRF_FAILED: "logged-out",
  DIRECTORY_UNREACHABLE: "busy", EXPECTATION_MISMATCH: "changed", FAILED_TO_CONNECT_BOUNCER: "busy", FORBIDDEN: "forbidden", INTERNAL_SERVER_ERROR: "broken", INTERNAL_SERVER_ERROR_ON_BOUNCER: "busy", INVALID_PUSH_DEVICE_TOKEN: "device",
  INVITATION_FAILED: "invitation", INVITATION_REQUIRED: "no-account", LINK_NOT_GOOD: "link", LOGIN_EXPIRED: "logged-out", MAIL_NOT_CONFIGURED: "mail", METHOD_NOT_ALLOWED: "gone", MISSING_HTTP_EVENT_HEADER: "webhook",
  MOVE_MESSAGES_TIME_LIMIT_EXCEEDED: "move", NONEXISTENT_SUBDOMAIN: "closed", NOT_FOUND: "gone", NO_ACCOUNT: "no-account", NO_ACTIVE_PUSH_DEVICE: "device", OUTCOME_UNKNOWN: "outcome", PASSWORD_AUTH_DISABLED: "method", PASSWORD_RESET_REQUIRED: "password",
  PERMISSION_DENIED: "forbidden", PUSH_SERVICE_NOT_CONFIGURED: "push", RATE_LIMIT_HIT: "rate", REACTION_ALREADY_EXISTS: "reaction", REACTION_DOES_NOT_EXIST: "reaction", REALM_DEACTIVATED: "closed", REALM_UPLOAD_QUOTA: "quota",
  REQUEST_ENTITY_TOO_LARGE: "too-large", REQUEST_HEADER_FIELDS_TOO_LARGE: "too-large", REQUEST_TIMEOUT: "busy", REQUEST_URI_TOO_LONG: "too-large", SECOND_FACTOR_FAILED: "factor", SECOND_FACTOR_REQUIRED: "factor-needed", SERVICE_UNAVAILABLE: "busy",
  STREAM_DOES_NOT_EXIST: "gone", STREAM_WILDCARD_MENTION_NOT_ALLOWED: "wildcard", SYSTEM_GROUP_REQUIRED: "system-group", TOO_MANY_CONNECTIONS: "busy", TOPIC_WILDCARD_MENTION_NOT_ALLOWED: "wildcard", UNAUTHORIZED: "logged-out",
  UNAUTHORIZED_PRINCIPAL: "forbidden", UNSUPPORTED_WEBHOOK_EVENT_TYPE: "webhook", USER_DEACTIVATED: "deactivated",
};

/** Descriptions with the same text as another one.
 * @type {Record<string, string>} */
const SAME_DESCRIPTIONS = {
  "Channel(s) ({a}) do not exist": "Invalid channel name '{a}'",
  "Failed to create Nextcloud Talk call": "BigBlueButton server returned an unexpected error: {a}",
  "Invalid user ID: {a}": "Invalid user ID {a}",
  "Invalid user group ID: {a}": "Invalid user group",
  "Invalid {a}: Value error, {b}": "Bad value for '{a}': {b}",
  "Private channels cannot be made default.": "A default channel cannot be private.",
  "The ordered list must enumerate all existing linkifiers exactly once": "Invalid order mapping.",
  "This custom emoji has been deactivated.": "Invalid custom emoji.",
  "Unable to access channel ({a}).": "Invalid channel name '{a}'",
  "You must upload exactly one {a}.": "You may only upload one file at a time",
  "{a} does not exist": "No such {a}",
  "{a} does not exist.": "No such {a}",
  "{a} must be {b}": "Bad value for '{a}': {b}",
};
const DESCRIPTION = /^error\.says\./;

addTexts(errorTexts);

const templates = [...Object.keys(errorTexts).filter((name) => DESCRIPTION.test(name)).map((name) => name.replace(DESCRIPTION, "")), ...Object.keys(SAME_DESCRIPTIONS)];
const patterns = templates.filter((template) => template.includes("{a}")).map((template) => ({ template, pattern: patternOf(template) }));

/** What a person reads of a refused request.
 * @param {{code?: string, msg?: string}} body the response
 * @returns {string} */
export function errorText({ code = "", msg = "" }) {
  if (templates.includes(msg)) return t(textName(msg));
  for (const { template, pattern } of patterns) {
    const found = pattern.exec(msg);
    if (found) return t(textName(template), { a: found[1], b: found[2] });
  }
  return CODES[code] ? t(`error.code.${CODES[code]}`) : t("error.other", { detail: msg });
}

/** @param {string} template */
function textName(template) {
  return `error.says.${SAME_DESCRIPTIONS[template] ?? template}`;
}

/** @param {string} template a description with `{a}` and `{b}` for what it is about */
function patternOf(template) {
  const parts = template.split(/\{[ab]\}/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("(.+)")}$`, "s");
}
