/** All signals and their payloads. `emit` and `on` accept no other name and no other payload; a test finds a
 * signal that nothing emits or nothing handles. */

import type { ConnectionState } from "../state/connection.js";
import type { Message } from "../state/messages.js";
import type { Route } from "../state/routes.js";
import type { MoveEvent } from "./api_types.d.ts";

/** A menu, a dialog or the sidebar over the view of a phone: going back closes it. */
export interface Cover {
  isOpen(): boolean;
  close(): void;
}

export interface Signals {
  // A store has changed.
  /** The person that changed; without one, several may have. */
  people: number | undefined;
  presence: undefined;
  /** The channel that changed; without one, several may have. */
  channels: number | undefined;
  folders: undefined;
  /** The channel whose topics changed. */
  topics: number;
  /** The channel of a topic that the person follows, mutes or unmutes now. */
  topicPolicy: number;
  /** The conversation whose unread messages changed; without one, several may have. */
  unread: import("../state/conversations.js").Conversation | undefined;
  /** The setting that changed; without one, several may have. */
  settings: string | undefined;
  realm: undefined;
  typing: undefined;
  connection: ConnectionState;
  /** The key of the conversation; without one, several drafts may have changed. */
  drafts: string | undefined;
  /** Bots offer other commands. */
  commands: undefined;
  outbox: undefined;
  /** The browser offers to install the page. */
  installOffer: undefined;
  /** Message lists have other messages in them. */
  lists: undefined;
  /** All stores were initialized again. */
  reset: undefined;

  // Something has happened to messages.
  /** The row of this message looks different now. */
  messageChanged: number;
  /** A new message. `local_message_id` is the key of the outbox, if this account sent it. */
  messageArrived: Message & { local_message_id?: string };
  messagesDeleted: number[];
  /** Messages are in another conversation now. */
  messagesMoved: number[];
  /** The same move, with both conversations. */
  topicMoved: MoveEvent;

  /** Something covers the view of a phone. */
  covered: Cover;
  /** The router shows another route. */
  route: Route;
}
export type SignalName = keyof Signals;

/** The rest parameters of `emit` for a signal. */
export type Payload<Name extends SignalName> = [Signals[Name]] extends [undefined]
  ? []
  : undefined extends Signals[Name] ? [detail?: Signals[Name]] : [detail: Signals[Name]];
