import { ChevronLeft, ChevronRight } from "lucide-react";
import { useMemo, useState } from "react";
import { IconButton } from "@/ui/IconButton";
import { Section } from "@/ui/Section";
import { useWords } from "@/words";
import { type Rules, yearOf } from "./rules";
import { calendarWords } from "./words";
import { Legend, YearGrid } from "./YearGrid";

/** A year of a calendar, and the days in it that are named one by one. `onDay` lets days be turned. */
export function Year({ rules, onDay }: { rules: Rules; onDay?: (date: string) => void }) {
  const t = useWords(calendarWords);
  const [year, setYear] = useState(() => new Date().getFullYear());
  const days = useMemo(() => yearOf(rules, year), [rules, year]);
  const special = days.filter((day) => day.by !== "" && day.by !== "weekday");
  const open = days.filter((day) => day.allowed).length;
  return (
    <>
      <Section
        title={t("year", { year })}
        text={`${t("yearText", { open, closed: days.length - open })}${onDay ? ` ${t("turnHelp")}` : ""}`}
        actions={
          <span className="flex gap-1">
            <IconButton icon={ChevronLeft} label={t("before")} onClick={() => setYear(year - 1)} />
            <IconButton icon={ChevronRight} label={t("after")} onClick={() => setYear(year + 1)} />
          </span>
        }
      >
        <Legend />
        <YearGrid days={days} onDay={onDay} />
      </Section>
      <Section title={t("special", { year })}>
        {special.length === 0 ? (
          <p className="text-soft">{t("noSpecial")}</p>
        ) : (
          <ul className="grid grid-cols-[repeat(auto-fill,minmax(17rem,1fr))] gap-x-6 gap-y-1">
            {special.map((day) => (
              <li key={day.date} className="flex items-baseline gap-2">
                <span className="whitespace-nowrap tabular-nums">{day.date}</span>
                <span className="min-w-0 flex-1 truncate" title={day.name}>
                  {day.name}
                </span>
                <span className="whitespace-nowrap text-faint text-xs">
                  {day.by && t(`by${day.by}`)} · {t(day.allowed ? "open" : "closed")}
                </span>
              </li>
            ))}
          </ul>
        )}
      </Section>
    </>
  );
}
