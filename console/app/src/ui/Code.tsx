import type { ReactNode } from "react";
import { cn } from "./cn";

/** A key, an expression, an address within a sentence. */
export function Code({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <code className={cn("break-all rounded-sm bg-sunken px-1 py-px font-mono text-xs", className)}>{children}</code>
  );
}

/** A text in lines as it is. For long ones that are looked through, see CodeEditor with readOnly. */
export function CodeBlock({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard.
      tabIndex={0}
      className={cn("overflow-x-auto rounded-md border bg-sunken p-3 font-mono text-xs", className)}
    >
      {children}
    </pre>
  );
}
