/** Globals: what browsers have and the checker's library does not know yet, and what our scripts share. */
interface TrustedTypePolicy {
  createHTML(html: string): unknown;
  createScriptURL(url: string): unknown;
}
declare var trustedTypes: { createPolicy(name: string, rules: object): TrustedTypePolicy } | undefined;

/** What the desktop app offers to the page. */
interface ElectronBridge {
  on_event?(name: "send_notification_reply_message", listener: (id: number, content: string) => unknown): void;
  on_event?(name: "logout" | "show-keyboard-shortcuts" | "show-notification-settings", listener: () => unknown): void;
  send_event?(name: string, value: unknown): void;
  set_send_notification_reply_message_supported?(isSupported: boolean): void;
  get_idle_on_system?(): boolean | undefined;
  new_notification?(title: string, options: NotificationOptions, dispatch: (kind: string) => void): unknown;
}

interface Window {
  electron_bridge?: ElectronBridge;
  /** The first messages, requested by `preload.js` and taken by `core/api.js`. */
  preloaded?: { url: string; response: Promise<{ ok: boolean; status: number; json(): any }> };
}
