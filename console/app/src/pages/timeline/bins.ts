import type { Schema } from "@/api/types";

export type JobTimes = Schema<"TimelineJob">;

/** The API counts at most so many firings of a job in a minute: these stand for as many or more. */
export const mostPerMinute = 6;

/** How many minutes one cell has, by the hours that are shown. */
export const stepOf = (hours: number) => (hours <= 6 ? 5 : hours <= 12 ? 10 : hours <= 24 ? 15 : 30);

/** How often jobs fire in each cell of so many minutes. */
export function cellsOf(jobs: readonly JobTimes[], step: number, cells: number): number[] {
  const counts = new Array<number>(cells).fill(0);
  for (const job of jobs) {
    job.minutes.forEach((minute, at) => {
      const cell = Math.floor(minute / step);
      if (cell < cells) counts[cell] = (counts[cell] ?? 0) + (job.counts[at] ?? 0);
    });
  }
  return counts;
}

/** How strong a cell is shown: 0 for none, to 5 for the most. Few among many stay to be seen. */
export function levelOf(count: number, most: number): number {
  if (count <= 0 || most <= 0) return 0;
  return Math.min(5, Math.max(1, Math.ceil((Math.log1p(count) / Math.log1p(most)) * 5)));
}

/** A minute in which several jobs fire. */
export type Crowd = { minute: number; jobs: JobTimes[] };

/** The minutes in which the most jobs fire at once, the fullest first; two jobs at least. */
export function crowdsOf(jobs: readonly JobTimes[], most: number): Crowd[] {
  const by = new Map<number, JobTimes[]>();
  for (const job of jobs) {
    for (const minute of job.minutes) {
      const known = by.get(minute);
      if (known) known.push(job);
      else by.set(minute, [job]);
    }
  }
  return [...by]
    .map(([minute, all]) => ({ minute, jobs: all }))
    .filter((crowd) => crowd.jobs.length > 1)
    .sort((a, b) => b.jobs.length - a.jobs.length || a.minute - b.minute)
    .slice(0, most);
}

/** A time, in minutes: from is in it, until is not. */
export type Span = { from: number; until: number };

/** The longest times in which nothing fires, the longest first; those shorter than `least` minutes are left out. */
export function gapsOf(jobs: readonly JobTimes[], minutes: number, least: number, most: number): Span[] {
  const busy = [...new Set(jobs.flatMap((job) => job.minutes))].sort((a, b) => a - b);
  const gaps: Span[] = [];
  let from = 0;
  for (const minute of [...busy, minutes]) {
    if (minute - from >= least) gaps.push({ from, until: minute });
    from = minute + 1;
  }
  return gaps.sort((a, b) => b.until - b.from - (a.until - a.from) || a.from - b.from).slice(0, most);
}

/** How often jobs fire within a span, and how many of them do. */
export function within(jobs: readonly JobTimes[], span: Span): { firings: number; jobs: number } {
  let firings = 0;
  let some = 0;
  for (const job of jobs) {
    let own = 0;
    job.minutes.forEach((minute, at) => {
      if (minute >= span.from && minute < span.until) own += job.counts[at] ?? 0;
    });
    firings += own;
    if (own > 0) some += 1;
  }
  return { firings, jobs: some };
}

/** The jobs by their groups, in order. */
export function byGroup(jobs: readonly JobTimes[]): { space: string; group: string; jobs: JobTimes[] }[] {
  const groups = new Map<string, { space: string; group: string; jobs: JobTimes[] }>();
  for (const job of jobs) {
    const id = `${job.namespace}/${job.group}`;
    const known = groups.get(id);
    if (known) known.jobs.push(job);
    else groups.set(id, { space: job.namespace, group: job.group, jobs: [job] });
  }
  return [...groups.values()].sort((a, b) => a.space.localeCompare(b.space) || a.group.localeCompare(b.group));
}

/** The span between two cells, whichever comes first, in minutes. */
export function spanOf(a: number, b: number, step: number): Span {
  return { from: Math.min(a, b) * step, until: (Math.max(a, b) + 1) * step };
}
