import assert from "node:assert/strict";
import { test } from "node:test";
import { timeZones, withOffset } from "../../../src/tertulia/web/static/state/time_zones.js";

test("a local time has the offset that its zone has on that day", () => {
  assert.equal(withOffset("2027-01-31T18:30", "Europe/Madrid"), "2027-01-31T18:30:00+01:00");
  assert.equal(withOffset("2027-07-31T18:30", "Europe/Madrid"), "2027-07-31T18:30:00+02:00");
  assert.equal(withOffset("2027-01-31T18:30", "Asia/Kolkata"), "2027-01-31T18:30:00+05:30");
  assert.equal(withOffset("2027-01-31T00:15", "America/St_Johns"), "2027-01-31T00:15:00-03:30");
  assert.equal(withOffset("2027-01-31T00:00", "UTC"), "2027-01-31T00:00:00+00:00");
});

test("on the day of a change the offset is that of the hour", () => {
  assert.equal(withOffset("2027-03-28T01:30", "Europe/Madrid"), "2027-03-28T01:30:00+01:00");
  assert.equal(withOffset("2027-03-28T03:30", "Europe/Madrid"), "2027-03-28T03:30:00+02:00");
});

test("zones are named without underscores", () => {
  assert.deepEqual(timeZones().find(({ value }) => value === "America/New_York"), { value: "America/New_York", label: "America/New York" });
});
