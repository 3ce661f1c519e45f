import assert from "node:assert/strict";
import { test } from "node:test";
import { formatDay } from "../../../src/tertulia/web/static/views/time.js";
import { start } from "./scene.mjs";

process.env.TZ = "Europe/Madrid";
Object.defineProperty(globalThis, "navigator", { value: { languages: ["en-GB"] }, configurable: true });

test("yesterday is yesterday also at the end of a day of 25 hours", () => {
  start();
  const lateOnSunday = Date.UTC(2026, 9, 25, 22, 30) / 1000; // summer time ended in the morning
  const onSaturday = Date.UTC(2026, 9, 24, 10) / 1000;

  assert.match(formatDay(onSaturday, lateOnSunday), /^Yesterday/);
  assert.match(formatDay(lateOnSunday - 3600, lateOnSunday), /^Today/);
});
