/** Lets Node import the page's modules: they are ES modules in `.js` files, their texts are chosen by language,
 * and they expect a few globals of a browser. Loaded with `node --import`. */

import { register } from "node:module";

register("./hooks.mjs", import.meta.url);
globalThis.window = globalThis;
globalThis.location = { hash: "", origin: "https://chat.example", href: "https://chat.example/" };
