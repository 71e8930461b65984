const controls = [
  '[aria-invalid="true"]',
  '[role="radio"][aria-checked="true"]',
  "input:not([type=hidden], [disabled], [aria-hidden=true])",
  "textarea:not([disabled])",
  "button:not([disabled])",
  '[contenteditable="true"]',
];

/** The control of a field that is typed in, or chosen with. */
function controlOf(field: Element): HTMLElement | null {
  for (const selector of controls) {
    const found = field.querySelector<HTMLElement>(selector);
    if (found) return found;
  }
  return null;
}

/** Opens everything folded that a field stands in. */
function unfold(field: Element): void {
  for (let at = field.parentElement; at; at = at.parentElement) {
    if (at instanceof HTMLDetailsElement) at.open = true;
  }
}

/**
 * Leads to the first field of a form that is marked as wrong, or else to what the form says above its fields. A
 * field that has just been revealed may need some frames until it is there.
 */
export function leadToFault(form: HTMLElement | null, frames = 6): void {
  if (!form) return;
  const field = form.querySelector("[data-field][data-wrong]");
  if (!field) {
    if (frames > 0) requestAnimationFrame(() => leadToFault(form, frames - 1));
    else show(form.querySelector<HTMLElement>("[data-problem]"));
    return;
  }
  unfold(field);
  controlOf(field)?.focus({ preventScroll: true });
  field.scrollIntoView({ block: "center" });
}

function show(box: HTMLElement | null): void {
  box?.focus({ preventScroll: true });
  box?.scrollIntoView({ block: "center" });
}
