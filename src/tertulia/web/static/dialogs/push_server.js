/** The part of the settings for an ntfy or Gotify server, where missed messages go besides browsers and phones. */

import { get, post, remove } from "../core/api.js";
import { h } from "../core/html.js";
import { t } from "../core/i18n.js";
import { realm } from "../state/session.js";
import { actionButton, formSection, labelled } from "./forms.js";

/** @typedef {import("../core/api_types.d.ts").Schemas["PushServerObject"]} PushServer */

/** The section, or nothing where the organization does not allow such servers.
 * @returns {Promise<HTMLElement[]>} */
export async function pushServerSection() {
  if (!realm("push_servers_allowed")) return [];
  const { push_servers: servers } = await get("/push_servers");
  /** @type {PushServer | undefined} */
  let known = servers[0];
  const kind = h(
    "select",
    { class: "f" },
    h("option", { value: "ntfy" }, "ntfy"),
    h("option", { value: "gotify", selected: known?.kind === "gotify" }, "Gotify"),
  );
  const address = h("input", {
    class: "f",
    type: "url",
    value: known?.address ?? "",
    placeholder: "https://ntfy.example.com/topic",
  });
  const token = h("input", { class: "f", type: "password", autocomplete: "off" });
  const sendsText = h("input", { type: "checkbox", checked: known?.sends_text });
  const drop = async () => {
    if (known) await remove("/push_servers", { address: known.address });
    known = undefined;
  };
  const save = async () => {
    if (known && known.address !== address.value) await drop();
    known = {
      kind: kind.value === "gotify" ? "gotify" : "ntfy",
      address: address.value.trim(),
      sends_text: sendsText.checked,
    };
    await post("/push_servers", { ...known, token: token.value });
    const { status, reason } = await post("/push_servers/test", { address: known.address });
    if (status >= 200 && status < 300) return t("push.server-accepted");
    throw new Error(status ? t("push.server-refused", { status, reason }) : t("push.server-silent"));
  };
  const clear = async () => {
    await drop();
    address.value = token.value = "";
  };
  return [
    formSection(
      t("push.server"),
      h("p", { class: "quiet" }, t("push.server-text")),
      labelled(t("label.kind"), kind),
      labelled(t("label.url"), address),
      labelled(t("push.server-token"), token),
      h("label", { class: "choice" }, sendsText, h("span", {}, t("push.server-sends-text"))),
      actionButton(t("push.server-save"), save),
      actionButton(t("dialog.remove"), clear, "bare"),
    ),
  ];
}
