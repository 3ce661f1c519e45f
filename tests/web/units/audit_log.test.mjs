import assert from "node:assert/strict";
import { test } from "node:test";

process.env.TZ = "Europe/Madrid";
Object.defineProperty(globalThis, "navigator", { value: { languages: ["en-GB"] }, configurable: true });
globalThis.matchMedia = () => ({ matches: false });
globalThis.document = { documentElement: { dataset: {}, lang: "en" }, querySelector: () => null };

const { queryOf } = await import("../../../src/tertulia/web/static/admin/audit_log.js");

test("a range of days ends at midnight, also on a day of 25 or of 23 hours", () => {
  const hours = (date) => {
    const { after, until } = queryOf({ when: "range", from: date, to: date });
    return (until - after) / 3600;
  };

  assert.deepEqual(["2026-10-25", "2026-03-29", "2026-06-01"].map(hours), [25, 23, 24]);
  assert.equal(new Date(queryOf({ when: "30" }).after * 1000).getHours(), 0);
});
