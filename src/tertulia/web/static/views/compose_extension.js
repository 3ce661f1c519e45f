/** What a compose box has while a person writes in it. */

import { addTexts } from "../core/i18n.js";
import { ComposeAttachments } from "./compose_attachments.js";
import { writingTexts } from "./writing_texts.js";

/** @typedef {import("./compose.js").ComposeBox} ComposeBox */

addTexts(writingTexts);

/** @param {ComposeBox} compose */
export function extendCompose(compose) {
  return new ComposeExtension(compose);
}

export class ComposeExtension {
  /** @param {ComposeBox} compose */
  constructor(compose) {
    this.attachments = new ComposeAttachments(compose);
    compose.box.before(this.attachments.element);
  }
}
