/** The words of settings, in the language that the page is shown in: a file of `translations/`. */
export const settingsTexts: Record<string, string | Record<string, string>>;
