/** Enhances content that the server has rendered: links, mentions, images, code, times, spoilers. It changes
 * the nodes before they are shown. */

import { channelColor } from "../state/channels.js";
import { h, icon, iconButton, isPlainParagraphs, parseServerHtml } from "../core/html.js";
import { accountValue } from "../core/account_values.js";
import { callSlot, voiceSlot } from "./lazy_slots.js";
import { myId } from "../state/session.js";
import { people } from "../state/people.js";
import { makeFileCard } from "./file_card.js";
import { formatFullTime } from "./time.js";

import { t } from "../core/i18n.js";

/** Selectors, and what to do with the elements.
 * @type {[string, (element: any) => void][]} */
const ENHANCEMENTS = [
  ["span.emoji", drawEmoji],
  ["img.emoji", (image) => (image.loading = "lazy")],
  ["time", localizeTime],
  [".spoiler-block", collapseSpoiler],
  [".codehilite", addCodeHeader],
  [".user-mention, .user-group-mention", markMention],
  [".message_inline_image", makePicturePreview],
  [".message_inline_image img, img", sizeImage],
  [".message_embed", makePreviewCard],
  [".message_embed_image", showPreviewImage],
  ["img, video", replaceExternalMedia],
  ["a", adjustLink],
  ['a[href^="/user_uploads/"][href*="#voice="]', voiceSlot],
  ['a[href^="/user_uploads/"]:not([href*="#"])', makeFileCard],
  ['a[href^="#narrow/"][href*="/call/"]', callSlot],
  ["table", makeTableScrollable],
  [".katex-html", (element) => element.remove()],
];

/** @param {string} html rendered by the server
 * @returns {DocumentFragment} */
export function enhance(html) {
  const content = parseServerHtml(html);
  if (isPlainParagraphs(html)) return content;
  for (const [selector, change] of ENHANCEMENTS) content.querySelectorAll(selector).forEach(change);
  return content;
}

/** The text of rendered content, on one line.
 * @param {string} html */
export function plainText(html) {
  const content = parseServerHtml(html);
  content
    .querySelectorAll("span.emoji")
    .forEach((emoji) => (emoji.textContent = glyph(emojiCode(emoji)) || emoji.textContent));
  content.querySelectorAll(".katex-html, .message_inline_image, annotation").forEach((element) => element.remove());
  content.querySelectorAll(".spoiler-content").forEach((element) => (element.textContent = " …"));
  content.querySelectorAll("p, li, br, tr, div, blockquote").forEach((element) => element.append(" "));
  return (content.textContent ?? "").replaceAll(/\s+/g, " ").trim();
}

/** The characters of an emoji: `1f1ea-1f1f8` are two code points.
 * @param {string} code
 * @returns {string} empty if it is not an emoji */
export function glyph(code) {
  const points = code.split("-").map((part) => parseInt(part, 16));
  if (points.some((point) => !Number.isFinite(point) || point > 0x10ffff)) return "";
  const letters = String.fromCodePoint(...points);
  return points.length === 1 && !/\p{Emoji_Presentation}/u.test(letters) && /\p{Emoji}/u.test(letters)
    ? letters + "\ufe0f"
    : letters;
}

/** @param {Element} element */
function emojiCode(element) {
  return [...element.classList].find((name) => name.startsWith("emoji-"))?.slice(6) ?? "";
}

/** @param {HTMLElement} element */
function drawEmoji(element) {
  const letters = glyph(emojiCode(element));
  if (letters) element.textContent = letters;
  element.setAttribute("role", "img");
}

/** @param {HTMLTimeElement} element */
function localizeTime(element) {
  const at = Date.parse(element.dateTime);
  if (!Number.isFinite(at)) return;
  element.textContent = formatFullTime(at / 1000);
  element.title = t("content.your-time");
  element.classList.add("moment");
}

/** @param {HTMLElement} block */
function collapseSpoiler(block) {
  const head = block.querySelector(".spoiler-header");
  const body = block.querySelector(".spoiler-content");
  if (!head || !body) return;
  body.removeAttribute("aria-hidden");
  const title = (head.textContent ?? "").trim() ? [...head.childNodes] : [t("content.spoiler")];
  const label = h("small", { "data-shown": t("content.hide"), "data-hidden": t("content.show") });
  const summary = h("summary", {}, icon("right", "s c flip"), h("span", {}, ...title), label);
  block.replaceWith(h("details", { class: "spoiler" }, summary, h("div", { class: "inside" }, ...body.childNodes)));
}

/** @param {HTMLElement} block */
function addCodeHeader(block) {
  const language = block.dataset.codeLanguage ?? "";
  const copy = iconButton("copy", t("content.copy-code"), { "data-do": "copy-code" });
  block.querySelector("pre")?.setAttribute("tabindex", "0");
  block.prepend(h("div", { class: "cap" }, language, copy));
}

/** @param {HTMLElement} mention */
function markMention(mention) {
  const id = mention.dataset.userId;
  const isSilent = mention.classList.contains("silent");
  mention.classList.add("at");
  const isMine =
    id === String(myId()) ||
    id === "*" ||
    mention.classList.contains("channel-wildcard-mention") ||
    mention.classList.contains("topic-mention");
  mention.classList.toggle("me-too", isMine && !isSilent);
  if (!id || !people.has(Number(id))) return;
  mention.setAttribute("role", "button");
  mention.tabIndex = 0;
  mention.dataset.do = "profile";
  mention.dataset.person = id;
}

/** @param {HTMLElement} frame */
function makePicturePreview(frame) {
  frame.classList.add("pic");
  const link = frame.querySelector("a");
  if (link && !frame.matches(".youtube-video") && !frame.querySelector("video")) link.dataset.do = "view-picture";
}

/** @param {HTMLImageElement} image */
function sizeImage(image) {
  image.loading = "lazy";
  if (!image.alt) image.alt = image.closest("a")?.title || t("content.picture");
  const [, width, height] = /^(\d+)x(\d+)$/.exec(image.dataset.originalDimensions ?? "") ?? [];
  if (width && height) {
    const scale = Math.min(1, 360 / Number(width), 400 / Number(height));
    image.width = Math.round(Number(width) * scale);
    image.height = Math.round(Number(height) * scale);
  }
}

/** Loading media from other sites would reveal to them who reads the message, so a link replaces it.
 * @param {HTMLImageElement | HTMLVideoElement} media */
function replaceExternalMedia(media) {
  const address = new URL(media.getAttribute("src") ?? "", location.href);
  if (address.origin === location.origin || address.protocol === "data:") return;
  const link = media.closest("a");
  const label = media.matches("video") ? "content.video-elsewhere" : "content.picture-elsewhere";
  const host = h("span", { class: "elsewhere" }, icon("link", "s"), t(label, { host: address.host }));
  if (link) delete link.dataset.do;
  media.replaceWith(link ? host : h("a", { href: address.href, target: "_blank", rel: "noopener noreferrer" }, host));
}

/** A preview says which site it is of, and can be hidden.
 * @param {HTMLElement} card */
function makePreviewCard(card) {
  const link = /** @type {HTMLAnchorElement | null} */ (card.querySelector(".message_embed_title a"));
  if (!link || hiddenPreviews().includes(link.href)) return card.remove();
  card.querySelector(".data-container")?.prepend(h("small", { class: "cut" }, new URL(link.href).host));
  return card.append(
    iconButton("close", t("content.hide-preview"), { "data-do": "hide-preview", "data-href": link.href }),
  );
}

/** The linked pages whose previews the person has hidden.
 * @returns {string[]} */
export function hiddenPreviews() {
  return /** @type {string[] | undefined} */ (accountValue("hidden-previews")) ?? [];
}

/** The image of a linked page, if this server fetches it: other sites are not to see the readers.
 * @param {HTMLElement} link */
function showPreviewImage(link) {
  const address = link.dataset.image ?? "";
  if (address.startsWith("/")) link.append(h("img", { src: address, alt: "", loading: "lazy" }));
  else link.remove();
}

/** @param {HTMLAnchorElement} link */
function adjustLink(link) {
  const href = link.getAttribute("href") ?? "";
  const address = URL.canParse(href, location.href) ? new URL(href, location.href) : null;
  if (!address) return;
  const isHere = address.origin === location.origin;
  if (isHere && address.pathname === "/" && address.hash) {
    link.setAttribute("href", address.hash);
  } else if (isHere && /^#(narrow|topics)\//.test(href)) {
    link.setAttribute("href", href);
  } else {
    link.target = "_blank";
    link.rel = "noopener noreferrer";
  }
  if (link.classList.contains("stream") || link.classList.contains("stream-topic")) {
    link.style.setProperty("--c", channelColor(Number(link.dataset.streamId)));
  }
}

/** @param {HTMLTableElement} table */
function makeTableScrollable(table) {
  const frame = h("div", { class: "wide", tabindex: 0, role: "region", "aria-label": t("content.table") });
  table.replaceWith(frame);
  frame.append(table);
}
