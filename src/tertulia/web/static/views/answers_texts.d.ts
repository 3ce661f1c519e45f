/** Texts of growing answers, in the page's language: a file of `translations/`. */
export const answersTexts: Record<string, string | Record<string, string>>;
