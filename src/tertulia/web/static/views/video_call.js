/** The link to a new video call, with the provider that the organization has chosen. */

import { get, post } from "../core/api.js";
import { t } from "../core/i18n.js";
import { titleOf } from "../state/conversations.js";
import { realm, state } from "../state/session.js";
import { currentComposeBox } from "./compose.js";
import { withErrorToast } from "./message_actions.js";

const MAX_NAME_LENGTH = 100;

/** The address of a new call, by the provider's number in `realm_video_chat_provider`.
 * @type {Record<number, (name: string) => Promise<string>>} */
const CREATE = {
  1: async () =>
    `${String(state.jitsi_server_url).replace(/\/$/, "")}/${crypto.getRandomValues(new BigUint64Array(1))[0]}`,
  4: async (name) =>
    new URL((await get("/calls/bigbluebutton/create", { meeting_name: name })).url, location.origin).href,
  7: async (name) => (await post("/calls/nextcloud_talk/create", { room_name: name })).url,
};

/** Insert the link to a new call. */
export async function insertCall() {
  const box = currentComposeBox();
  const create = CREATE[realm("video_chat_provider") ?? 0];
  if (!box || !create) return;
  const name = titleOf(box.conversation).slice(0, MAX_NAME_LENGTH) || t("call.name");
  const url = await withErrorToast(create(name));
  if (url && box.box.isConnected) box.insert(`[${t("call.join")}](${url})`, { alone: true });
}
