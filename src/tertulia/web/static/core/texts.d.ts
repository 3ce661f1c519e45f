/** Texts of the initial chunk, in the page's language: a file of `translations/`. */
export const language: string;
export const texts: Record<string, string | Record<string, string>>;
