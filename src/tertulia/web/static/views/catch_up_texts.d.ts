/** Texts of the card "What did I miss?", in the page's language: a file of `translations/`. */
export const catchUpTexts: Record<string, string | Record<string, string>>;
