/** Texts of what a compose box has while a person writes in it, in the page's language: a file of `translations/`. */
export const writingTexts: Record<string, string | Record<string, string>>;
