/** The page's language and the texts of the initial chunk. The server makes this module of the catalogue in
 * `locale/`; `web/chunk_texts.py` finds which texts a chunk needs. */
export const language: string;
/** By key; a text with a number has a form for each case. */
export const texts: Record<string, string | string[]>;
/** Which form of a text a number takes: the rule of the catalogue. */
export function pluralForm(n: number): number;
