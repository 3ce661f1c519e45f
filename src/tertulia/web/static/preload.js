/** Requests the first messages while the page's own script is still loading. The page takes the response if
 * it would have sent the same request (`core/api.js`). Where the first view needs more than messages, this
 * also preloads the interactive chunk. */

(() => {
  const FIRST_FETCH_SIZE = 60; // as in message_lists.js
  // An app that starts without a connection shows what is kept here: the last conversation.
  if (!location.hash && !navigator.onLine) history.replaceState(null, "", localStorage.getItem("tertulia-last") ?? "#");
  const [view, ...parts] = location.hash.slice(1).split("/");
  const isMessageView = view === "narrow" || view === "feed";
  if (!isMessageView || !matchMedia("(max-width: 43.75rem)").matches) {
    const link = document.createElement("link");
    link.rel = "modulepreload";
    link.href = document.documentElement.dataset.interactive ?? "";
    document.head.append(link);
  }
  // The first formatted date, number and text are slow in browsers. Doing them now, while files load, costs
  // nothing. On later visits the files are cached, and this would delay them.
  if (!navigator.serviceWorker?.controller) {
    document.addEventListener(
      "readystatechange",
      () => {
        document.querySelector(".fonts")?.removeAttribute("hidden");
        new Intl.DateTimeFormat(undefined, { timeStyle: "short" }).format();
        new Intl.NumberFormat();
      },
      { once: true },
    );
  }
  if (!isMessageView) return;
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
    else if (operator === "dm")
      terms.push({ operator, operand: text.split("-")[0].split(",").map(Number), negated: false });
    else if (operator === "topic" || operator === "is") terms.push({ operator, operand: text, negated: false });
    else return;
  }
  if (view === "feed") terms.push({ operator: "in", operand: "home", negated: false });
  const positions = JSON.parse(sessionStorage.getItem("places") ?? "[]");
  const saved = positions.find((/** @type {[string, {id?: number}]} */ [hash]) => hash === location.hash)?.[1];
  const isSelection = terms.some((term) => term.operator === "is" && term.operand !== "dm");
  anchor ??= saved?.id ?? (isSelection ? "newest" : "first_unread");
  const [before, after] = anchor === "newest" ? [FIRST_FETCH_SIZE, 0] : [FIRST_FETCH_SIZE / 2, FIRST_FETCH_SIZE / 2];
  const form = new URLSearchParams();
  const params = {
    narrow: JSON.stringify(terms),
    anchor,
    num_before: before,
    num_after: after,
    apply_markdown: true,
    client_gravatar: false,
    allow_empty_topic_name: true,
  };
  for (const [name, value] of Object.entries(params)) form.append(name, String(value));
  const url = `/json/messages?${form}`;
  // Parse the body here as well, so that the page does not wait another turn for it.
  const response = fetch(url, { credentials: "same-origin" }).then(async (reply) => {
    const body = await reply.json();
    return { ok: reply.ok, status: reply.status, json: () => body };
  });
  response.catch(() => {});
  window.preloaded = { url, response };
})();
