/** Asks for the first messages while the page's own script is still on its way. The page takes the
 * answer if it is what it would have asked for itself (`api.js`); if not, nothing is lost. Where more
 * than messages is shown at first (`main.js`), the file that shows it is asked for as well. */

(() => {
  const FETCHED = 60; // as in message_lists.js
  const [view, ...parts] = location.hash.slice(1).split("/");
  const isTalk = view === "narrow" || view === "feed";
  if (!isTalk || !matchMedia("(max-width: 43.75rem)").matches) {
    const link = document.createElement("link");
    link.rel = "modulepreload";
    link.href = document.documentElement.dataset.interactive ?? "";
    document.head.append(link);
  }
  // Browsers take long over their first time, number and letters: now, while files are on their way, it
  // costs nothing. Whoever has been here before has the files already.
  if (!navigator.serviceWorker?.controller) {
    document.addEventListener("readystatechange", () => {
      document.querySelector(".fonts")?.removeAttribute("hidden");
      new Intl.DateTimeFormat(undefined, { timeStyle: "short" }).format();
      new Intl.NumberFormat();
    }, { once: true });
  }
  if (!isTalk) return;
  const decode = (/** @type {string} */ text) => {
    try {
      return decodeURIComponent(text.replaceAll(".", "%"));
    } catch {
      return text;
    }
  };
  const terms = [];
  let anchor;
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const operator = parts[at] === "stream" ? "channel" : decode(parts[at]);
    const text = decode(parts[at + 1]);
    if (operator === "near") anchor = parseInt(text, 10);
    else if (operator === "channel") terms.push({ operator, operand: parseInt(text, 10), negated: false });
    else if (operator === "dm") terms.push({ operator, operand: text.split("-")[0].split(",").map(Number), negated: false });
    else if (operator === "topic" || operator === "is") terms.push({ operator, operand: text, negated: false });
    else return;
  }
  if (view === "feed") terms.push({ operator: "in", operand: "home", negated: false });
  const places = JSON.parse(sessionStorage.getItem("places") ?? "[]");
  const kept = places.find((/** @type {[string, any]} */ [hash]) => hash === location.hash)?.[1];
  const isSelection = terms.some((term) => term.operator === "is" && term.operand !== "dm");
  anchor ??= kept?.id ?? (isSelection ? "newest" : "first_unread");
  const [before, after] = anchor === "newest" ? [FETCHED, 0] : [FETCHED / 2, FETCHED / 2];
  const form = new URLSearchParams();
  const asked = { narrow: JSON.stringify(terms), anchor, num_before: before, num_after: after, apply_markdown: true, client_gravatar: false, allow_empty_topic_name: true };
  for (const [name, value] of Object.entries(asked)) form.append(name, String(value));
  const address = `/json/messages?${form}`;
  // Read as well: the page must not wait another turn for what has come already.
  const answer = fetch(address, { credentials: "same-origin" }).then(async (response) => {
    const told = await response.json();
    return { ok: response.ok, status: response.status, json: () => told };
  });
  answer.catch(() => {});
  /** @type {any} */ (window).early = { address, answer };
})();
