/** Attachments of a message that is being written. In the message and in its draft they are lines at the end of the
 * text, each with a link to an uploaded file; the compose box shows them as chips. */

/** @typedef {{name: string, url: string}} Attachment */

const LAST_LINK = /(?:^|\n)\[([^\]\n]*)\]\((\/user_uploads\/[^)\s]+)\)\s*$/;

/** Keys of the conversations that files are being uploaded for.
 * @type {Set<string>} */
export const uploadingTo = new Set();

/** @param {string} content
 * @returns {{text: string, files: Attachment[]}} */
export function splitAttachments(content) {
  const files = [];
  let text = content;
  for (let link = LAST_LINK.exec(text); link; link = LAST_LINK.exec(text)) {
    files.unshift({ name: link[1], url: link[2] });
    text = text.slice(0, link.index);
  }
  return { text, files };
}

/** @param {string} text
 * @param {Attachment[]} files
 * @returns {string} the content of the message */
export function joinAttachments(text, files) {
  return [...(text || !files.length ? [text] : []), ...files.map(({ name, url }) => `[${name}](${url})`)].join("\n");
}
