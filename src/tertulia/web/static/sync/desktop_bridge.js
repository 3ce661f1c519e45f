/** How the desktop app can be reached from the page. */

/** @returns {ElectronBridge | undefined} undefined in an ordinary browser */
export function desktopBridge() {
  const bridge = window.electron_bridge;
  return bridge && !(bridge instanceof Element) ? bridge : undefined;
}
