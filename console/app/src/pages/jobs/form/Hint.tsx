import type { ReactNode } from "react";

/** What a choice means, dark enough to be read on the ground of the one that is chosen. */
export function Hint({ children }: { children: ReactNode }) {
  return <span className="text-soft">{children}</span>;
}
