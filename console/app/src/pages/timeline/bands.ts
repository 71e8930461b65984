import { parseDuration } from "@/ui/format";
import { isAbout, type Pause } from "../pauses/pause";
import type { JobTimes, Span } from "./bins";

/** A time in which a pause holds, in minutes of the timeline. */
export type Band = Span & { pause: Pause };

type Place = { namespace: string; group: string };

/**
 * When pauses hold within a timeline that begins at `from` and has so many minutes. `windows` are the instants at
 * which the windows of a pause begin, by its key: of a pause without a list its present or next window is all
 * that is known.
 */
export function bandsOf(
  pauses: readonly Pause[],
  windows: Readonly<Record<string, readonly string[]>>,
  from: number,
  minutes: number,
): Band[] {
  const end = from + minutes * 60_000;
  return pauses.flatMap((pause) => {
    const first = Date.parse(pause.from);
    const last = pause.until ? Date.parse(pause.until) : Number.POSITIVE_INFINITY;
    return timesOf(pause, windows[pause.key], first, last).flatMap(([begin, over]) => {
      const a = Math.max(begin, first, from);
      const b = Math.min(over, last, end);
      return a < b ? [{ pause, from: (a - from) / 60_000, until: (b - from) / 60_000 }] : [];
    });
  });
}

function timesOf(pause: Pause, begins: readonly string[] | undefined, first: number, last: number): [number, number][] {
  if (!pause.window) return [[first, last]];
  const length = parseDuration(pause.window.for);
  if (begins) return begins.map((at) => [Date.parse(at), Date.parse(at) + length]);
  if (pause.active && pause.ends_at) return [[Date.parse(pause.ends_at) - length, Date.parse(pause.ends_at)]];
  if (pause.begins_at) return [[Date.parse(pause.begins_at), Date.parse(pause.begins_at) + length]];
  return [];
}

/** The bands over all of some jobs: a pause that holds only some of them has none. */
export function bandsOver(bands: readonly Band[], jobs: readonly Pick<JobTimes, "namespace" | "group">[]): Band[] {
  const places: Place[] = [...new Map(jobs.map((job) => [`${job.namespace}/${job.group}`, job])).values()];
  return places.length === 0 ? [] : bands.filter(({ pause }) => places.every((place) => isAbout(pause, place)));
}
