/** The card at the top of the inbox in the first days: what an owner does next, or how topics work. */

import { get, post } from "../core/api.js";
import { h, icon } from "../core/html.js";
import { t } from "../core/i18n.js";
import { channels, myChannels } from "../state/channels.js";
import { cachedMessages } from "../state/messages.js";
import { topicsHash } from "../state/narrow.js";
import { people } from "../state/people.js";
import { myId, realm, state } from "../state/session.js";
import { hideStartCard, isInFirstDays } from "./first_days.js";
import { toast } from "./layout.js";

/** @typedef {import("../core/html.js").Child} Child */
/** @typedef {{title: string, text: string, done: boolean, more?: Child, actions?: Child[]}} Step */

const LINK_MINUTES = 7 * 24 * 60;

let invitation = "";
let isLinkWanted = true; // it is asked for once, and again by the button
let isImportShown = false;

/** @param {() => void} redraw
 * @returns {HTMLElement | null} */
export function startCard(redraw) {
  if (!isInFirstDays()) return null;
  return state.is_owner ? ownerCard(redraw) : newcomerCard(redraw);
}

/** @param {() => void} redraw */
function newcomerCard(redraw) {
  const channel = myChannels()[0];
  const example =
    channel &&
    h("a", { class: "b go", href: topicsHash(channel.stream_id), onclick: hideStartCard }, t("start.example"));
  const lines = ["topic", "inbox", "new"].map((name) =>
    h("li", {}, h("b", {}, t(`start.${name}`)), " ", t(`start.${name}-text`)),
  );
  return h(
    "section",
    { class: "three", "aria-labelledby": "start-title" },
    h("h2", { id: "start-title" }, t("start.how")),
    h("ol", {}, ...lines),
    h(
      "div",
      { class: "do" },
      example,
      h(
        "button",
        {
          class: "b",
          type: "button",
          "data-key": "start-hide",
          onclick: () => {
            hideStartCard();
            redraw();
          },
        },
        t("start.known"),
      ),
    ),
  );
}

/** @param {() => void} redraw */
function ownerCard(redraw) {
  const steps = ownerSteps(redraw);
  const done = steps.filter((step) => step.done).length;
  if (done === steps.length) return null;
  const hideButton = h(
    "button",
    {
      class: "b bare",
      type: "button",
      "data-key": "start-hide",
      onclick: () => {
        hideStartCard();
        redraw();
      },
    },
    t("content.hide"),
  );
  return h(
    "section",
    { class: "steps", "aria-labelledby": "start-title" },
    h(
      "header",
      {},
      h("div", {}, h("h2", { id: "start-title" }, t("start.four")), h("p", {}, t(`start.done-${done}`))),
      hideButton,
    ),
    h("ol", {}, ...steps.map(stepRow)),
  );
}

/** @param {() => void} redraw
 * @returns {Step[]} */
function ownerSteps(redraw) {
  const members = [...people.values()].filter(
    (person) => person.is_active && !person.is_bot && !person.is_system_bot,
  ).length;
  const hasMessages = hasSentMessage() || [...channels.values()].some((channel) => channel.first_message_id);
  const general = myChannels()[0];
  return [
    { title: t("start.create"), text: t("start.create-text", { name: realm("name") ?? "" }), done: true },
    {
      title: t("start.picture"),
      text: t("start.picture-text"),
      done: realm("icon_source") === "U",
      actions: [h("a", { class: "b", href: "#organization/organization-profile" }, t("start.picture-choose"))],
    },
    {
      title: t("start.invite"),
      text: t("start.invite-text"),
      done: members > 1,
      more: members > 1 ? null : invitationLine(redraw),
      actions: [h("a", { class: "b", href: "#organization/invitations" }, t("start.invite-mail"))],
    },
    {
      title: t("start.write"),
      text: t("start.write-text"),
      done: hasMessages,
      more: isImportShown && importHelp(),
      actions: [
        general &&
          h(
            "button",
            { class: "b", type: "button", "data-do": "new-topic-in", "data-channel": general.stream_id },
            t("start.write-in", { channel: general.name }),
          ),
        h(
          "button",
          {
            class: "b",
            type: "button",
            "data-key": "start-import",
            "aria-expanded": String(isImportShown),
            onclick: () => {
              isImportShown = !isImportShown;
              redraw();
            },
          },
          t("start.import"),
        ),
      ],
    },
  ];
}

function hasSentMessage() {
  return cachedMessages().some((message) => message.sender_id === myId() && message.type === "stream");
}

/** @param {Step} step
 * @param {number} index */
function stepRow({ title, text, done, more, actions = [] }, index) {
  const mark = h("span", { class: "num-o", "aria-hidden": "true" }, done ? icon("check", "s") : String(index + 1));
  const words = h(
    "div",
    {},
    h("b", {}, title),
    done && h("span", { class: "hidden" }, ` (${t("start.is-done")})`),
    h("small", {}, text),
    !done && more,
  );
  return h("li", { class: done ? "ok" : "" }, mark, words, !done && h("span", { class: "acts" }, ...actions));
}

/** The field with the link that invites members, and the button that copies it.
 * @param {() => void} redraw */
function invitationLine(redraw) {
  if (isLinkWanted) {
    isLinkWanted = false;
    invitationLink().then(
      (link) => {
        invitation = link;
        redraw();
      },
      () => {},
    );
  }
  const copy = async () => {
    invitation ||= await invitationLink();
    await navigator.clipboard?.writeText(invitation).then(
      () => toast(t("start.copied")),
      () => {},
    );
    redraw();
  };
  return h(
    "div",
    { class: "copyline" },
    h("input", {
      class: "f",
      readonly: true,
      value: invitation,
      "aria-label": t("start.link"),
      "data-key": "start-link",
    }),
    h("button", { class: "b go", type: "button", "data-key": "start-copy", onclick: copy }, t("start.copy")),
  );
}

/** A link of mine that is still valid, or a new one. */
async function invitationLink() {
  const { invites } = await get("/invites");
  const mine = invites.find(
    (each) => each.is_multiuse && each.invited_by_user_id === myId() && each.invited_as === 400,
  );
  if (mine?.is_multiuse) return mine.link_url ?? "";
  return (
    await post("/invites/multiuse", {
      invite_expires_in_minutes: LINK_MINUTES,
      invite_as: 400,
      include_realm_default_subscriptions: true,
      stream_ids: [],
    })
  ).invite_link;
}

function importHelp() {
  return h(
    "div",
    { class: "import" },
    h("p", {}, t("start.import-text")),
    h("code", {}, "tertulia import export.zip --subdomain NAME"),
  );
}
