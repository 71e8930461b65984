import { useRef, useState } from "react";
import { absolute } from "@/ui/format";
import { Link } from "@/ui/Link";
import { useWords } from "@/words";
import { type Band, bandsOver } from "./bands";
import { byGroup, cellsOf, type JobTimes, type Span, spanOf } from "./bins";
import { Strip } from "./Strip";
import { timelineWords } from "./words";

type Row = { id: string; name: string; head: React.ReactNode; jobs: readonly JobTimes[] };

type Props = {
  jobs: readonly JobTimes[];
  bands: readonly Band[];
  /** The namespace that is shown; empty for all. */
  namespace: string;
  by: "groups" | "jobs";
  from: number;
  minutes: number;
  step: number;
  span: Span | null;
  onSpan: (span: Span) => void;
};

/** The strips of all rows below a clock; a drag over them chooses a time. */
export function Heat({ jobs, bands, namespace, by, from, minutes, step, span, onSpan }: Props) {
  const t = useWords(timelineWords);
  const cells = minutes / step;
  const clockAt = (cell: number) => absolute(from + cell * step * 60_000).slice(11, 16);
  const rows = useRows(jobs, namespace, by);
  const total = cellsOf(jobs, step, cells);
  const counted = rows.map((row) => ({ ...row, counts: cellsOf(row.jobs, step, cells) }));
  const most = counted.reduce((so, row) => Math.max(so, ...row.counts), 0);
  const bandsIn = (over: readonly JobTimes[]) =>
    bandsOver(bands, over).map((one) => ({ pause: one.pause.key, from: one.from / step, until: one.until / step }));
  const drag = useDrag(cells, step, onSpan);
  return (
    <div className="flex">
      <ul aria-label={t("rows")} className="w-32 shrink-0 pr-3 sm:w-48">
        <li className="h-6" aria-hidden />
        <li className="mb-2 flex h-6 items-center font-medium">{t("all")}</li>
        {counted.map((row) => (
          <li key={row.id} className="mb-1 flex h-6 items-center truncate" title={row.name}>
            {row.head}
          </li>
        ))}
      </ul>
      <div className="relative min-w-0 flex-1 touch-pan-y select-none" ref={drag.area} {...drag.handlers}>
        <Clock from={from} minutes={minutes} />
        <div className="mb-2">
          <Strip counts={total} most={Math.max(...total)} name={t("all")} bands={bandsIn(jobs)} clockAt={clockAt} />
        </div>
        {counted.map((row) => (
          <div key={row.id} className="mb-1">
            <Strip counts={row.counts} most={most} name={row.name} bands={bandsIn(row.jobs)} clockAt={clockAt} />
          </div>
        ))}
        {span && Math.max(0, span.from) < Math.min(minutes, span.until) && (
          <div
            aria-hidden
            className="pointer-events-none absolute inset-y-0 border-accent border-x-2 bg-accent/15"
            style={{
              left: `${(Math.max(0, span.from) / minutes) * 100}%`,
              width: `${((Math.min(minutes, span.until) - Math.max(0, span.from)) / minutes) * 100}%`,
            }}
          />
        )}
      </div>
    </div>
  );
}

/** What a link to a job puts into the address bar of its namespace. */
export const nsOf = (job: JobTimes) => (job.namespace === "default" ? undefined : job.namespace);

function useRows(jobs: readonly JobTimes[], namespace: string, by: "groups" | "jobs"): Row[] {
  // With a single namespace its name adds nothing.
  const many = namespace === "" && new Set(jobs.map((job) => job.namespace)).size > 1;
  const named = (job: JobTimes) => (many ? `${job.namespace}/${job.key}` : job.key);
  if (by === "groups") {
    return byGroup(jobs).map(({ space, group, jobs: own }) => {
      const name = many ? `${space}/${group}` : group;
      return {
        id: `${space}/${group}`,
        name,
        jobs: own,
        head: (
          <Link to="/groups/$ns/$key" params={{ ns: space, key: group }} className="truncate text-ink">
            {name}
          </Link>
        ),
      };
    });
  }
  return jobs
    .filter((job) => job.minutes.length > 0)
    .map((job) => ({
      id: `${job.namespace}/${job.key}`,
      name: job.title ? `${named(job)} · ${job.title}` : named(job),
      jobs: [job],
      head: (
        <Link
          to="/jobs/$id"
          params={{ id: job.key } as never}
          search={{ ns: nsOf(job) } as never}
          className="truncate text-ink"
        >
          {named(job)}
        </Link>
      ),
    }));
}

/** The hours above the strips, on the clock of the viewer; few enough to be read. */
function Clock({ from, minutes }: { from: number; minutes: number }) {
  const hours = minutes / 60;
  const every = hours <= 6 ? 1 : hours <= 12 ? 2 : hours <= 24 ? 3 : 6;
  const marks = Array.from({ length: Math.ceil(hours / every) }, (_, at) => at * every);
  return (
    <div aria-hidden className="relative h-6 text-2xs text-faint tabular-nums">
      {marks.map((hour, at) => (
        <span
          key={hour}
          className={`absolute top-1 border-l pl-1 leading-4 ${at % 2 ? "max-sm:hidden" : ""}`}
          style={{ left: `${(hour / hours) * 100}%` }}
        >
          {absolute(from + hour * 3_600_000).slice(11, 16)}
        </span>
      ))}
    </div>
  );
}

/** Follows a drag over an area that is so many cells wide. */
function useDrag(cells: number, step: number, onSpan: (span: Span) => void) {
  const area = useRef<HTMLDivElement>(null);
  const [begun, setBegun] = useState<number | null>(null);
  const cellAt = (event: React.PointerEvent) => {
    const box = area.current?.getBoundingClientRect();
    if (!box || box.width === 0) return 0;
    return Math.min(cells - 1, Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * cells)));
  };
  return {
    area,
    handlers: {
      onPointerDown: (event: React.PointerEvent) => {
        if (event.button !== 0) return;
        area.current?.setPointerCapture(event.pointerId);
        setBegun(cellAt(event));
        onSpan(spanOf(cellAt(event), cellAt(event), step));
      },
      onPointerMove: (event: React.PointerEvent) => {
        if (begun !== null) onSpan(spanOf(begun, cellAt(event), step));
      },
      onPointerUp: () => setBegun(null),
      onPointerCancel: () => setBegun(null),
    },
  };
}
