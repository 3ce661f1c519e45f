/** Texts of the audit log, usage, integrations and the state of the server: a file of `translations/`. */
export const oversightTexts: Record<string, string | Record<string, string>>;
