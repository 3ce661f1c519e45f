/** Globals: what browsers have and the checker's library does not know yet, and what our scripts share. */
interface TrustedTypePolicy {
  createHTML(html: string): unknown;
  createScriptURL(url: string): unknown;
}
declare var trustedTypes: { createPolicy(name: string, rules: object): TrustedTypePolicy } | undefined;

interface Window {
  /** The first messages, requested by `preload.js` and taken by `core/api.js`. */
  preloaded?: { url: string; response: Promise<{ ok: boolean; status: number; json(): any }> };
}
