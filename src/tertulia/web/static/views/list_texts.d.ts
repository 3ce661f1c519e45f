/** Texts of the lists of conversations, in the page's language: a file of `translations/`. */
export const listTexts: Record<string, string | Record<string, string>>;
