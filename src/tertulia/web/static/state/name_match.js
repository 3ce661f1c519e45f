/** Comparing what is typed with names. */

/** Text for comparing: lower case, without accents.
 * @param {string} text */
export function normalizeText(text) {
  return text.toLowerCase().normalize("NFKD").replaceAll(/\p{M}/gu, "");
}

/** How well a name matches: 3 at its beginning, 2 at the beginning of a word, 1 elsewhere, -1 not at all.
 * @param {string} name
 * @param {string} query both normalized */
export function matchScore(name, query) {
  if (name.startsWith(query)) return 3;
  const at = name.indexOf(query);
  if (at < 0) return -1;
  return /[\s._-]/.test(name[at - 1]) ? 2 : 1;
}
