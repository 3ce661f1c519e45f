/** Texts of the interactive chunk, in the page's language: a file of `translations/`. */
export const interactiveTexts: Record<string, string | Record<string, string>>;
