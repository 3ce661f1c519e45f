/** Texts of what a compose box has while a person writes in it, in the page's language: a file of `translations/`. */
export const composerTexts: Record<string, string | Record<string, string>>;
