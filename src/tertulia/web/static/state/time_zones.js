/** Time zones: their names, and how far a local time is from UTC. */

/** The zones that the browser knows, as choices of a field.
 * @returns {{value: string, label: string}[]} */
export function timeZones() {
  return Intl.supportedValuesOf("timeZone").map((zone) => ({ value: zone, label: zone.replaceAll("_", " ") }));
}

export function ownTimeZone() {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** A local time of a zone in ISO 8601 with its offset: 2026-11-17T18:30:00+01:00.
 * @param {string} local the value of a field, 2026-11-17T18:30
 * @param {string} zone */
export function withOffset(local, zone) {
  const asUtc = Date.parse(`${local}:00Z`);
  const guess = offsetMinutes(asUtc, zone);
  // on the day of a change, the first guess may be of the other side
  const minutes = offsetMinutes(asUtc - guess * 60_000, zone);
  const two = (/** @type {number} */ number) => String(Math.floor(Math.abs(number))).padStart(2, "0");
  return `${local}:00${minutes < 0 ? "-" : "+"}${two(minutes / 60)}:${two(minutes % 60)}`;
}

/** @param {number} at milliseconds since 1970
 * @param {string} zone */
function offsetMinutes(at, zone) {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  });
  const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  return Math.round((Date.UTC(part.year, part.month - 1, part.day, part.hour, part.minute) - at) / 60_000);
}
