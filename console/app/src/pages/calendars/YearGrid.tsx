import { memo, useMemo } from "react";
import { cn } from "@/ui/cn";
import { useLanguage, useWords } from "@/words";
import { type DayWord, numberOf, weekdayOf, weekdays } from "./rules";
import { calendarWords } from "./words";

/** The style of a day, by whether jobs may fire and by which rule. */
function lookOf(day: DayWord): string {
  if (day.by === "except") return "bg-odd-tint text-odd font-medium";
  if (day.allowed) return day.by === "" || day.by === "weekday" ? "text-ink" : "bg-good-tint text-good font-medium";
  return day.by === "" || day.by === "weekday" ? "bg-idle-tint text-idle" : "bg-bad-tint text-bad font-medium";
}

/** What the looks of days mean. */
export function Legend() {
  const t = useWords(calendarWords);
  const items = [
    ["border border-line", t("legendOpen")],
    ["bg-idle-tint", `${t("closed")}, ${t("legendWeekly")}`],
    ["bg-bad-tint", `${t("closed")}, ${t("legendNamed")}`],
    ["bg-good-tint", `${t("open")}, ${t("legendNamed")}`],
    ["bg-odd-tint", t("legendExcept")],
  ] as const;
  return (
    <ul className="mb-3 flex flex-wrap gap-x-4 gap-y-1 text-soft text-xs">
      {items.map(([look, word]) => (
        <li key={word} className="flex items-center gap-1.5">
          <span aria-hidden className={cn("size-3.5 rounded-sm border border-line-strong", look)} />
          {word}
        </li>
      ))}
    </ul>
  );
}

/** A year, month by month: the days on which jobs may fire and may not, and why. `onDay` makes days buttons. */
export const YearGrid = memo(function YearGrid({
  days,
  onDay,
}: {
  days: readonly DayWord[];
  onDay?: (date: string) => void;
}) {
  const months = useMemo(() => {
    const all: DayWord[][] = Array.from({ length: 12 }, () => []);
    for (const day of days) all[Number(day.date.slice(5, 7)) - 1]?.push(day);
    return all;
  }, [days]);
  return (
    <div className="grid grid-cols-[repeat(auto-fill,minmax(14rem,1fr))] gap-x-6 gap-y-4">
      {months.map((month) => (
        <Month key={month[0]?.date} days={month} onDay={onDay} />
      ))}
    </div>
  );
});

function Month({ days, onDay }: { days: readonly DayWord[]; onDay?: (date: string) => void }) {
  const t = useWords(calendarWords);
  const [language] = useLanguage();
  const first = days[0]?.date ?? "1970-01-01";
  const name = new Intl.DateTimeFormat(language, { month: "long", year: "numeric", timeZone: "UTC" }).format(
    Date.parse(first),
  );
  const lead = (weekdayOf(numberOf(first)) + 6) % 7;
  const cells: (DayWord | null)[] = [...Array.from({ length: lead }, () => null), ...days];
  const weeks = Array.from({ length: Math.ceil(cells.length / 7) }, (_, week) => cells.slice(week * 7, week * 7 + 7));
  const heads = [...weekdays.slice(1), weekdays[0]] as const;
  return (
    <table className="h-fit w-full table-fixed border-separate border-spacing-0.5 text-xs tabular-nums">
      <caption className="pb-1 text-left font-medium text-sm">{name}</caption>
      <thead>
        <tr>
          {heads.map((day) => (
            <th key={day} scope="col" className="font-normal text-2xs text-faint">
              {t(day)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={week.find(Boolean)?.date}>
            {Array.from({ length: 7 }, (_, at) => {
              const day = week[at];
              // biome-ignore lint/suspicious/noArrayIndexKey: the index identifies a day of the week.
              return <Day key={at} day={day ?? null} onDay={onDay} />;
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Day({ day, onDay }: { day: DayWord | null; onDay?: (date: string) => void }) {
  const t = useWords(calendarWords);
  if (!day) return <td />;
  const why = [day.name, day.by && t(`by${day.by}`)].filter(Boolean).join(", ");
  const told = `${day.date}: ${t(day.allowed ? "open" : "closed")}${why ? ` (${why})` : ""}`;
  const look = cn("block h-6 w-full rounded-sm text-center leading-6", lookOf(day));
  const number = Number(day.date.slice(8));
  return (
    <td title={told} className="p-0">
      {onDay ? (
        <button
          type="button"
          aria-label={told}
          className={cn(look, "hover:brightness-95")}
          onClick={() => onDay(day.date)}
        >
          {number}
        </button>
      ) : (
        <span className={look}>
          {number}
          {!day.allowed && <span className="sr-only"> {t("closed")}</span>}
        </span>
      )}
    </td>
  );
}
