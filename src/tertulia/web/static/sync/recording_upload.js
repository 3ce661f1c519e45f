/** The upload of a recording, before its message is sent. */

import { t } from "../core/i18n.js";
import { putEntry } from "../core/local_store.js";
import { emit } from "../core/signals.js";
import { upload } from "./upload.js";

const EXTENSIONS = { "audio/webm": "webm", "audio/ogg": "ogg", "audio/mp4": "m4a" };
const PERCENT_STEP = 10;

/** Upload the recording of a message and put the link to it into the message, above its text.
 * @param {import("./outbox.js").PendingMessage} entry */
export async function uploadRecording(entry) {
  if (!entry.recording) return;
  const { blob, seconds, levels, name } = entry.recording;
  const extension = EXTENSIONS[/** @type {keyof typeof EXTENSIONS} */ (blob.type)] ?? "webm";
  const stamp = new Date(entry.at * 1000).toISOString().slice(0, 16).replaceAll(/[^\d]/g, "-");
  const file = new File([blob], `voice-message-${stamp}.${extension}`, { type: blob.type });
  const { url } = await upload(file, (part) => {
    const percent = Math.floor((100 * part) / PERCENT_STEP) * PERCENT_STEP;
    if (entry.percent === percent) return;
    entry.percent = percent;
    emit("outbox");
  }).promise;
  const link = `[${name}](${url}#voice=${seconds}-${levels})`;
  entry.content = entry.content ? `${link}\n\n${entry.content}` : link;
  delete entry.recording;
  delete entry.percent;
  await putEntry("outbox", entry);
}

/** The name of a recording, as other clients show it.
 * @param {string} time */
export function recordingName(time) {
  return t("voice.label", { time });
}
