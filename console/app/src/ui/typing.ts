/** Whether a key that is pressed there is text, or belongs to a menu, and no shortcut of the page. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ||
      target.closest("[role=menu]") !== null)
  );
}
