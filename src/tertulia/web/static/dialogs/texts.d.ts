/** The words of menus and dialogs, in the language that the page is shown in: a file of `translations/`. */
export const dialogTexts: Record<string, string | Record<string, string>>;
