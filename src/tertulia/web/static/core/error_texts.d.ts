/** Texts of errors of the server, in the page's language: a file of `translations/`. */
export const errorTexts: Record<string, string | Record<string, string>>;
