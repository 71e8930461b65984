import type { ReactNode } from "react";
import { cn } from "./cn";

/** A part of a page with a head and a thin frame. `flush` is for tables, which reach to its edges. */
export function Section({
  title,
  text,
  actions,
  flush,
  className,
  children,
}: {
  title?: ReactNode;
  text?: ReactNode;
  actions?: ReactNode;
  flush?: boolean;
  className?: string;
  children: ReactNode;
}) {
  return (
    <section className={cn("min-w-0 overflow-hidden rounded-lg border bg-raised", className)}>
      {(title || actions) && (
        <header className="flex min-h-10 flex-wrap items-center gap-x-3 gap-y-1 border-b px-4 py-1.5">
          <div className="min-w-0 flex-1 basis-44">
            <h2 className="text-sm">{title}</h2>
            {text && <p className="text-faint text-xs">{text}</p>}
          </div>
          {actions}
        </header>
      )}
      <div className={flush ? undefined : "p-4"}>{children}</div>
    </section>
  );
}
