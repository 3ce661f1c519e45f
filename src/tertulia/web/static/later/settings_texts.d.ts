/** The words of settings, in the language that the page is shown in: a file of `words/`. */
export const settingsTexts: Record<string, string | Record<string, string>>;
