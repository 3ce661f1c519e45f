/** The frame over a conversation while files are dragged over the page: it says where they go. */

import { h, icon } from "../core/html.js";
import { titleOf } from "../state/conversations.js";
import { channelName } from "../state/channels.js";
import { maxUploadMegabytes } from "../sync/upload.js";
import { currentComposeBox } from "../views/compose.js";
import { region } from "../views/layout.js";
import { t } from "../core/i18n.js";

export function showDropFrame() {
  const compose = currentComposeBox();
  if (!compose || document.querySelector(".dropping")) return;
  const { conversation } = compose;
  const where =
    "people" in conversation || conversation.topic ? titleOf(conversation) : channelName(conversation.channel);
  const frame = h(
    "div",
    { class: "dropping", role: "status" },
    icon("upload"),
    h("b", {}, t("drop.to", { where })),
    h("span", {}, t("drop.hint", { most: maxUploadMegabytes() })),
  );
  frame.addEventListener("dragover", (event) => event.preventDefault());
  frame.addEventListener("dragleave", () => frame.remove());
  frame.addEventListener("drop", (event) => {
    event.preventDefault();
    frame.remove();
    compose.addFiles([...(event.dataTransfer?.files ?? [])]);
    compose.box.focus();
  });
  region("#main").append(frame);
}
