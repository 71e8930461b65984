import { Tooltip as T } from "radix-ui";
import type { ReactElement, ReactNode } from "react";
import { Keys } from "./Keys";

/** Stands once around everything that has tooltips. */
export const TooltipProvider = T.Provider;

/** Explains the element within while it is hovered or focused. It must not contain information needed to act. */
export function Tooltip({
  text,
  keys,
  side = "top",
  children,
}: {
  text: ReactNode;
  keys?: string;
  side?: "top" | "bottom" | "left" | "right";
  children: ReactElement;
}) {
  return (
    <T.Root>
      <T.Trigger asChild>{children}</T.Trigger>
      <T.Portal>
        <T.Content
          side={side}
          sideOffset={5}
          collisionPadding={8}
          className="anim-appear z-50 flex max-w-80 items-center gap-2 rounded-md bg-ink px-2 py-1 text-page text-xs"
        >
          {text}
          {keys && <Keys keys={keys} inverted />}
        </T.Content>
      </T.Portal>
    </T.Root>
  );
}
