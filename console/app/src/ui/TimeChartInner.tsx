import { useEffect, useRef, useState } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useTheme } from "@/shell/theme";
import type { Tone } from "./Badge";
import { absolute } from "./format";

export type Series = {
  label: string;
  tone: Tone;
  /** One for each time; null leaves a gap. */
  values: readonly (number | null)[];
};

export type TimeChartProps = {
  /** What it shows, for those who do not see it. */
  label: string;
  /** ms, rising. */
  times: readonly number[];
  series: readonly Series[];
  /** Bars above one another, or lines. */
  kind?: "bars" | "lines";
  /** Formats a value. */
  format?: (value: number) => string;
  height?: number;
  /** A time was clicked at. */
  onPick?: (ms: number) => void;
};

/** The values of series laid above one another, the first at the bottom. */
export function stacked(series: readonly Series[]): (number | null)[][] {
  let below: number[] = [];
  return series.map((one) => {
    below = one.values.map((value, index) => (value ?? 0) + (below[index] ?? 0));
    return below;
  });
}

const day = 86_400_000;

/** How far times are apart. */
const stepOf = (times: readonly number[]) => (times[1] ?? 0) - (times[0] ?? 0);

/** What stands below a tick: the clock, or the day where one begins. */
export function tickWord(tick: number, ticks: readonly number[], index: number, timeZone?: string): string {
  const text = absolute(tick, timeZone);
  const before = ticks[index - 1];
  const newDay = before === undefined || absolute(before, timeZone).slice(0, 10) !== text.slice(0, 10);
  const days = stepOf(ticks) >= day;
  return days || (newDay && index > 0) ? text.slice(5, 10) : text.slice(11, 16);
}

// Runs are whole numbers: the axis has no fractions.
const wholeSteps = [1, 2, 5]
  .flatMap((one) => Array.from({ length: 9 }, (_, power) => one * 10 ** power))
  .sort((a, b) => a - b);

const colourOf = (tone: Tone) =>
  getComputedStyle(document.documentElement).getPropertyValue(tone === "plain" ? "--faint" : `--${tone}`);

/** The chart itself; it comes with uPlot, so import TimeChart. */
export default function TimeChartInner(props: TimeChartProps & { height: number }) {
  const { label, times, series, kind = "lines", height } = props;
  const format = props.format ?? String;
  const [theme] = useTheme();
  const host = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<number | null>(null);
  const latest = useRef(props);
  latest.current = props;

  // biome-ignore lint/correctness/useExhaustiveDependencies: colours follow the theme; words follow the latest props.
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const bars = kind === "bars";
    const values = bars ? stacked(series).reverse() : series.map((one) => [...one.values]);
    const drawn = bars ? [...series].reverse() : series;
    const line = getComputedStyle(document.documentElement).getPropertyValue("--line");
    const faint = getComputedStyle(document.documentElement).getPropertyValue("--faint");
    const chart = new uPlot(
      {
        width: element.clientWidth || 300,
        height,
        ms: 1,
        legend: { show: false },
        padding: [8, 18, 0, 0],
        cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
        scales: {
          x: { range: (_u, min, max) => [min, max + (bars ? stepOf(latest.current.times) : 0)] },
          y: { range: (_u, _min, max) => [0, max > 0 ? max * 1.08 : 1] },
        },
        axes: [
          {
            stroke: faint,
            grid: { show: false },
            ticks: { show: false },
            font: "11px system-ui",
            size: 24,
            space: 64,
            values: (_u, ticks) => ticks.map((tick, index) => tickWord(tick, ticks, index)),
          },
          {
            stroke: faint,
            grid: { stroke: line, width: 1 },
            ticks: { show: false },
            font: "11px system-ui",
            size: 56,
            space: 34,
            ...(bars ? { incrs: wholeSteps } : {}),
            values: (_u, ticks) => ticks.map((tick) => (latest.current.format ?? String)(tick)),
          },
        ],
        series: [
          {},
          ...drawn.map((one) => ({
            label: one.label,
            stroke: colourOf(one.tone),
            width: bars ? 0 : 1.5,
            fill: bars ? colourOf(one.tone) : undefined,
            paths: bars ? uPlot.paths.bars?.({ size: [0.8, 32], align: 1 }) : undefined,
            points: { show: !bars && one.values.filter((value) => value !== null).length < 40, size: 4 },
          })),
        ],
        hooks: { setCursor: [(u) => setAt(u.cursor.idx ?? null)] },
      },
      [[...times], ...values] as uPlot.AlignedData,
      element,
    );
    const click = () => {
      const index = chart.cursor.idx;
      const time = index === null || index === undefined ? undefined : latest.current.times[index];
      if (time !== undefined) latest.current.onPick?.(time);
    };
    chart.over.addEventListener("click", click);
    const sized = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }));
    sized.observe(element);
    return () => {
      sized.disconnect();
      chart.destroy();
    };
  }, [times, series, kind, height, theme]);

  const time = at === null ? undefined : times[at];
  return (
    <figure aria-label={label} className="relative">
      <div ref={host} />
      {time !== undefined && at !== null && (
        <div className="pointer-events-none absolute top-1 right-2 rounded-md border bg-raised/95 px-2 py-1 text-xs">
          <p className="text-faint">{absolute(time).slice(0, 16)}</p>
          {series.map((one) => (
            <p key={one.label} className="flex items-center gap-1.5">
              <span className="size-2 rounded-full" style={{ background: colourOf(one.tone) }} />
              {one.label}
              <span className="ml-auto pl-3 font-medium">
                {one.values[at] === null || one.values[at] === undefined ? "–" : format(one.values[at])}
              </span>
            </p>
          ))}
        </div>
      )}
    </figure>
  );
}
