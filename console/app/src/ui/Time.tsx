import { useLanguage } from "@/words";
import { cn } from "./cn";
import { absolute, offset, relative, zone } from "./format";
import { Tooltip } from "./Tooltip";
import { useNow } from "./useNow";

/** An instant of the API: how long ago or in how long, live; the clock time with the zone when pointed at. `as` turns it round. */
export function Time({
  at,
  as = "relative",
  millis,
  className,
}: {
  /** RFC 3339; nothing shows a dash. */
  at: string | number | undefined | null;
  as?: "relative" | "absolute";
  millis?: boolean;
  className?: string;
}) {
  const [language] = useLanguage();
  const ms = typeof at === "number" ? at : Date.parse(at ?? "");
  const near = Math.abs(Date.now() - ms) < 120_000;
  const now = useNow(near ? 1_000 : 30_000);
  if (!Number.isFinite(ms)) return <span className="text-faint">–</span>;
  const clock = absolute(ms, zone, millis);
  const away = relative(ms, now, language);
  return (
    <Tooltip
      text={
        <span className="flex flex-col">
          <span>{as === "relative" ? `${clock} ${offset(ms)} (${zone})` : `${away} · ${offset(ms)} (${zone})`}</span>
          <span className="opacity-75">{absolute(ms, "UTC", true)} UTC</span>
        </span>
      }
    >
      <time dateTime={new Date(ms).toISOString()} className={cn("whitespace-nowrap", className)}>
        {as === "relative" ? away : clock}
      </time>
    </Tooltip>
  );
}
