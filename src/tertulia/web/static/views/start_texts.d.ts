/** Texts of the card of the first days, in the page's language: a file of `translations/`. */
export const startTexts: Record<string, string | Record<string, string>>;
