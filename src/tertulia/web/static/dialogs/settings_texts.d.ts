/** Texts of settings, in the page's language: a file of `translations/`. */
export const settingsTexts: Record<string, string | Record<string, string>>;
