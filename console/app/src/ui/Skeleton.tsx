import { cn } from "./cn";

/** A placeholder while content loads. It has no text: the region around it is aria-busy. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={cn("anim-breathe block h-3.5 w-full rounded-sm bg-hover", className)} />;
}

const widths = ["w-11/12", "w-3/4", "w-5/6", "w-2/3", "w-4/5"];

/** Lines of text that load. */
export function SkeletonText({ lines = 3 }: { lines?: number }) {
  return (
    <span aria-hidden className="flex flex-col gap-2.5 py-1">
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike.
        <Skeleton key={line} className={widths[line % widths.length]} />
      ))}
    </span>
  );
}
