/** Whether the keyboard is one of Apple's. */
export const apple = typeof navigator !== "undefined" && /Mac|iPhone|iPad/.test(navigator.platform);

/** The keys that open the palette, as they are written on the keyboard. */
export const paletteKeys = apple ? "⌘K" : "Ctrl+K";
