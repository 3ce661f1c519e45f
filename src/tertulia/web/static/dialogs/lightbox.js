/** The lightbox: the pictures of the open view in full size. */

import { h, setChildren, iconButton } from "../core/html.js";
import { t } from "../core/i18n.js";
import { emit } from "../core/signals.js";

/** @param {import("../views/commands.js").CommandContext} context */
export function openLightbox({ element }) {
  const links = /** @type {HTMLAnchorElement[]} */ ([...document.querySelectorAll('.talk a[data-do="view-picture"]')]);
  const own = element.matches("a") ? element : element.querySelector('a[data-do="view-picture"]');
  let at = Math.max(0, links.indexOf(/** @type {HTMLAnchorElement} */ (own)));
  if (!own || !links.length) return;
  const frame = h("div", { class: "viewer-frame", tabindex: 0 });
  const caption = h("h1", { class: "cut" });
  const open = h("a", { class: "b", target: "_blank", rel: "noopener" }, t("viewer.open"));
  const zoom = iconButton("zoom-in", t("viewer.zoom"), {
    "aria-pressed": "false",
    onclick: () => {
      const isLarge = frame.classList.toggle("large");
      zoom.setAttribute("aria-pressed", String(isLarge));
    },
  });
  const before = iconButton("back", t("viewer.previous"), { onclick: () => go(-1), flip: true });
  const after = iconButton("right", t("viewer.next"), { onclick: () => go(1), flip: true });
  const close = iconButton("close", t("dialog.close"), { onclick: () => dialog.close() });
  const dialog = h(
    "dialog",
    { class: "viewer", "aria-label": t("content.picture") },
    h("header", {}, caption, open, zoom, before, after, close),
    frame,
  );
  dialog.addEventListener("keydown", (event) => {
    if (event.key === "ArrowLeft") go(-1);
    if (event.key === "ArrowRight") go(1);
  });
  frame.addEventListener("click", (event) => {
    if (event.target === frame) dialog.close();
  });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  show();
  dialog.showModal();
  emit("covered", { isOpen: () => dialog.open, close: () => dialog.close() });

  /** @param {number} step */
  function go(step) {
    at = (at + step + links.length) % links.length;
    show();
  }

  function show() {
    const link = links[at];
    const small = link.querySelector("img");
    const title =
      link.title || link.getAttribute("aria-label") || decodeURIComponent(link.pathname.split("/").at(-1) ?? "");
    caption.textContent = title;
    open.href = link.href;
    before.hidden = after.hidden = links.length < 2;
    const isHere = link.origin === location.origin;
    setChildren(frame, h("img", { src: isHere ? link.href : small?.src, alt: small?.alt || title }));
  }
}
