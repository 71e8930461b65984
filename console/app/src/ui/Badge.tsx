import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { cn } from "./cn";

export type Tone = "good" | "bad" | "warn" | "busy" | "idle" | "odd" | "accent" | "plain";

/** The colours of each tone. */
export const toneClass: Record<Tone, string> = {
  good: "bg-good-tint text-good",
  bad: "bg-bad-tint text-bad",
  warn: "bg-warn-tint text-warn",
  busy: "bg-busy-tint text-busy",
  idle: "bg-idle-tint text-idle",
  odd: "bg-odd-tint text-odd",
  accent: "bg-accent-tint text-accent",
  plain: "border border-line text-soft",
};

/** A short label. Its colour never carries the meaning alone. */
export function Badge({
  tone = "plain",
  icon: Icon,
  title,
  className,
  children,
}: {
  tone?: Tone;
  icon?: LucideIcon;
  title?: string;
  className?: string;
  children: ReactNode;
}) {
  return (
    <span
      title={title}
      className={cn(
        "inline-flex h-5 max-w-full items-center gap-1 whitespace-nowrap rounded-sm px-1.5 font-medium text-xs",
        toneClass[tone],
        className,
      )}
    >
      {Icon && <Icon aria-hidden className="size-3 shrink-0" />}
      <span className="truncate">{children}</span>
    </span>
  );
}
