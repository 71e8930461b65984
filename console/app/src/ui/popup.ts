/** The classes of what opens above the page: menus, lists, pickers. */
export const popupClass =
  "anim-rise z-50 overflow-hidden rounded-lg border border-line-strong bg-raised text-ink text-sm shadow-lg outline-none";

/** The classes of a line of such a list. */
export const itemClass =
  "relative flex cursor-default select-none items-center gap-2 rounded-sm px-2 py-1 outline-none data-disabled:opacity-50 data-highlighted:bg-hover";
