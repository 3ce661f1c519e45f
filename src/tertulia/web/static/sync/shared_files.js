/** Files of a message in the outbox: they are uploaded before it is sent, one after the other. */

import { putEntry } from "../core/local_store.js";
import { upload } from "./upload.js";

/** Upload the files of a message. Each link is stored with the message, so no file is uploaded twice.
 * @param {import("./outbox.js").PendingMessage} entry */
export async function uploadFiles(entry) {
  for (const file of entry.files ?? []) {
    const { url, filename } = await upload(file, () => {}).promise;
    const link = `[${filename.replaceAll(/[[\]]/g, "")}](${url})`;
    const content = [entry.content, link].filter(Boolean).join("\n");
    Object.assign(entry, { content, files: entry.files?.slice(1) });
    await putEntry("outbox", entry);
  }
}
