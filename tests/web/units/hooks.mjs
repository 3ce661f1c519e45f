import { readFile } from "node:fs/promises";

const STATIC = new URL("../../../src/tertulia/web/static/", import.meta.url).href;
const TEXTS = { [`${STATIC}core/texts.js`]: process.env.TERTULIA_TEST_TEXTS };

export async function resolve(specifier, context, next) {
  const url = specifier.startsWith(".") ? new URL(specifier, context.parentURL).href : specifier;
  return url.startsWith(STATIC) ? { url: TEXTS[url] ?? url, shortCircuit: true } : next(specifier, context);
}

export async function load(url, context, next) {
  if (!url.startsWith(STATIC)) return next(url, context);
  return { format: "module", source: await readFile(new URL(url)), shortCircuit: true };
}
