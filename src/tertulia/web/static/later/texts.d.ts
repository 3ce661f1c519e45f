/** The words of menus and dialogs, in the language that the page is shown in: a file of `words/`. */
export const laterTexts: Record<string, string | Record<string, string>>;
