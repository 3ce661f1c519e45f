/** What browsers have and the checker's library does not know yet. */
interface TrustedTypePolicy {
  createHTML(html: string): unknown;
  createScriptURL(address: string): unknown;
}
declare var trustedTypes: { createPolicy(name: string, rules: object): TrustedTypePolicy } | undefined;
