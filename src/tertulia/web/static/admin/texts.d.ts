/** Texts of administration, in the page's language: a file of `translations/`. */
export const adminTexts: Record<string, string | Record<string, string>>;
