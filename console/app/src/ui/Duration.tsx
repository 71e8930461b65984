import { cn } from "./cn";
import { duration, parseDuration } from "./format";
import { useNow } from "./useNow";

/** How long something took: ms, or a duration of the API. */
export function Duration({ of, className }: { of: number | string | undefined | null; className?: string }) {
  const ms = typeof of === "number" ? of : of ? parseDuration(of) : Number.NaN;
  return (
    <span title={typeof of === "string" ? of : undefined} className={cn("whitespace-nowrap", className)}>
      {duration(ms)}
    </span>
  );
}

/** How long something lasts that may not be over: live until it has an end. */
export function Elapsed({ from, to, className }: { from?: string | null; to?: string | null; className?: string }) {
  const start = Date.parse(from ?? "");
  const end = Date.parse(to ?? "");
  if (!Number.isFinite(start)) return <span className="text-faint">–</span>;
  if (Number.isFinite(end)) return <Duration of={end - start} className={className} />;
  return <Running start={start} className={className} />;
}

function Running({ start, className }: { start: number; className?: string }) {
  const now = useNow(1_000);
  return <Duration of={Math.max(0, Math.floor((now - start) / 1_000) * 1_000)} className={className} />;
}
