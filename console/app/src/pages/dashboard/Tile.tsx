import { type LinkProps, Link as RouterLink } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { cn } from "@/ui/cn";
import { Skeleton } from "@/ui/Skeleton";

export type TileTone = "bad" | "warn" | "plain";

const inks: Record<TileTone, string> = { bad: "text-bad", warn: "text-warn", plain: "text-ink" };

/** One figure with what it is. With `to` it leads to what it counts. */
export function Tile({
  label,
  value,
  help,
  tone = "plain",
  ...link
}: {
  label: string;
  value: ReactNode;
  help?: ReactNode;
  tone?: TileTone;
} & Pick<LinkProps, "to" | "search">) {
  const body = (
    <>
      <span className="truncate text-soft text-xs">{label}</span>
      <span className={cn("font-semibold text-xl tracking-tight", inks[tone])}>
        {value === undefined ? <Skeleton className="my-1 h-5 w-14" /> : value}
      </span>
      <span className="min-h-4 truncate text-faint text-xs">{help}</span>
    </>
  );
  const look = "flex min-w-0 flex-col gap-0.5 px-4 py-3 shadow-[0_0_0_1px_var(--line)]";
  if (!link.to) return <div className={look}>{body}</div>;
  return (
    <RouterLink {...link} className={cn(look, "outline-offset-[-2px] hover:bg-hover")}>
      {body}
    </RouterLink>
  );
}

/** Tiles side by side with thin lines between them. */
export function Tiles({ label, children }: { label: string; children: ReactNode }) {
  return (
    <section
      aria-label={label}
      className="grid grid-cols-2 gap-px max-sm:[&>:last-child:nth-child(odd)]:col-span-2 overflow-hidden rounded-lg border bg-raised sm:grid-cols-3 lg:grid-cols-[repeat(auto-fit,minmax(8.5rem,1fr))]"
    >
      {children}
    </section>
  );
}
