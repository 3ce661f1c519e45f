/** Small plots as SVG: bars of equal width. The figures are in a table beside them. */

const SVG = "http://www.w3.org/2000/svg";
const GAP = 0.25;

/** Bars that fill their element, with the text for screen readers.
 * @param {number[]} values
 * @param {string} label
 * @param {string} [classes]
 * @returns {SVGElement} */
export function bars(values, label, classes = "") {
  const svg = document.createElementNS(SVG, "svg");
  const most = Math.max(1, ...values);
  svg.setAttribute("viewBox", `0 0 ${values.length} ${most}`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  if (classes) svg.setAttribute("class", classes);
  for (const [index, value] of values.entries()) {
    if (!value) continue;
    const bar = document.createElementNS(SVG, "rect");
    const box = { x: index + GAP / 2, y: most - value, width: 1 - GAP, height: value };
    for (const [name, number] of Object.entries(box)) bar.setAttribute(name, String(number));
    bar.setAttribute("class", "bar");
    svg.append(bar);
  }
  return svg;
}
