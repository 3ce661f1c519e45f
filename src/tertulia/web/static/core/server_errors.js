/** Errors of the server in the person's language: their text is found by the error's `problem`, or by its code. */

import { t, textIfAny } from "./i18n.js";

/** The text of each code. Only `BAD_REQUEST` does not say what is wrong.
 * @type {Record<string, string>} */
const CODES = {
  ADMIN_ACTION_REQUIRED: "push",
  AGENT_ACCESS_ENDED: "agent",
  AGENT_MAY_NOT_WRITE: "forbidden",
  ANOMALOUS_WEBHOOK_PAYLOAD: "webhook",
  AUTHENTICATION_FAILED: "credentials",
  AUTHENTICATION_METHOD_DISABLED: "method",
  BAD_EVENT_QUEUE_ID: "logged-out",
  BAD_IMAGE: "image",
  BAD_NARROW: "search",
  CANNOT_DEACTIVATE_GROUP_IN_USE: "group",
  CANNOT_DEACTIVATE_LAST_USER: "last-owner",
  CHANNEL_ALREADY_EXISTS: "channel",
  CSRF_FAILED: "logged-out",
  DIRECTORY_UNREACHABLE: "busy",
  EXPECTATION_MISMATCH: "changed",
  FAILED_TO_CONNECT_BOUNCER: "busy",
  FORBIDDEN: "forbidden",
  INTERNAL_SERVER_ERROR: "broken",
  INTERNAL_SERVER_ERROR_ON_BOUNCER: "busy",
  INVALID_PUSH_DEVICE_TOKEN: "device",
  INVITATION_FAILED: "invitation",
  INVITATION_REQUIRED: "no-account",
  LINK_NOT_GOOD: "link",
  LOGIN_EXPIRED: "logged-out",
  MAIL_NOT_CONFIGURED: "mail",
  METHOD_NOT_ALLOWED: "gone",
  MISSING_HTTP_EVENT_HEADER: "webhook",
  MOVE_MESSAGES_TIME_LIMIT_EXCEEDED: "move",
  NONEXISTENT_SUBDOMAIN: "closed",
  NOT_FOUND: "gone",
  NO_ACCOUNT: "no-account",
  NO_ACTIVE_PUSH_DEVICE: "device",
  OUTCOME_UNKNOWN: "outcome",
  PASSWORD_AUTH_DISABLED: "method",
  PASSWORD_RESET_REQUIRED: "password",
  PERMISSION_DENIED: "forbidden",
  PUSH_SERVICE_NOT_CONFIGURED: "push",
  RATE_LIMIT_HIT: "rate",
  REACTION_ALREADY_EXISTS: "reaction",
  REACTION_DOES_NOT_EXIST: "reaction",
  REALM_DEACTIVATED: "closed",
  REALM_UPLOAD_QUOTA: "quota",
  REQUEST_ENTITY_TOO_LARGE: "too-large",
  REQUEST_HEADER_FIELDS_TOO_LARGE: "too-large",
  REQUEST_TIMEOUT: "busy",
  REQUEST_URI_TOO_LONG: "too-large",
  SECOND_FACTOR_FAILED: "factor",
  SECOND_FACTOR_REQUIRED: "factor-needed",
  SERVICE_UNAVAILABLE: "busy",
  STREAM_DOES_NOT_EXIST: "gone",
  STREAM_WILDCARD_MENTION_NOT_ALLOWED: "wildcard",
  SYSTEM_GROUP_REQUIRED: "system-group",
  TOO_MANY_CONNECTIONS: "busy",
  TOPIC_WILDCARD_MENTION_NOT_ALLOWED: "wildcard",
  UNAUTHORIZED: "logged-out",
  UNAUTHORIZED_PRINCIPAL: "forbidden",
  UNSUPPORTED_WEBHOOK_EVENT_TYPE: "webhook",
  USER_DEACTIVATED: "deactivated",
};

/** What a person reads of a refused request.
 * @param {{code?: string, msg?: string, problem?: string, problem_values?: Record<string, string | number>}} body the
 *   response
 * @returns {string} */
export function errorText({ code = "", msg = "", problem, problem_values: values }) {
  const text = problem && textIfAny(`error.${problem}`, values);
  return text || (CODES[code] ? t(`error.code.${CODES[code]}`) : t("error.other", { detail: msg }));
}
