import type { ReactNode } from "react";

/** A part of a section that few need: folded until it is asked for. */
export function Folded({ title, children }: { title: string; children: ReactNode }) {
  return (
    <details className="rounded-md border">
      <summary className="px-3 py-2 font-medium text-sm hover:bg-hover">{title}</summary>
      <div className="flex flex-col gap-4 border-t p-3">{children}</div>
    </details>
  );
}
