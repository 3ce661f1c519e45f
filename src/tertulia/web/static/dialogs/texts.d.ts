/** Texts of the dialogs chunk, in the page's language: a file of `translations/`. */
export const dialogTexts: Record<string, string | Record<string, string>>;
