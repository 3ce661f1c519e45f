/** The words of the first views, in the language that the page is shown in: a file of `translations/`. */
export const language: string;
export const texts: Record<string, string | Record<string, string>>;
