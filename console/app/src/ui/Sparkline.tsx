import type { Tone } from "./Badge";
import { cn } from "./cn";

const strokes: Record<Tone, string> = {
  good: "text-good",
  bad: "text-bad",
  warn: "text-warn",
  busy: "text-busy",
  idle: "text-idle",
  odd: "text-odd",
  accent: "text-accent",
  plain: "text-faint",
};

/** The points of a line through values, within a box. Gaps (NaN) begin a new line. */
export function linePath(values: readonly number[], width: number, height: number): string {
  const known = values.filter(Number.isFinite);
  if (known.length === 0) return "";
  const least = Math.min(0, ...known);
  const span = Math.max(...known) - least || 1;
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  let pen = "M";
  let path = "";
  values.forEach((value, index) => {
    if (!Number.isFinite(value)) {
      pen = "M";
      return;
    }
    const y = height - ((value - least) / span) * height;
    path += `${pen}${(index * step).toFixed(1)} ${y.toFixed(1)}`;
    pen = "L";
  });
  return path;
}

/** A small chart. `label` is its text for screen readers. */
export function Sparkline({
  values,
  label,
  tone = "accent",
  width = 72,
  height = 20,
  className,
}: {
  values: readonly number[];
  label: string;
  tone?: Tone;
  width?: number;
  height?: number;
  className?: string;
}) {
  return (
    <svg
      role="img"
      aria-label={label}
      width={width}
      height={height}
      viewBox={`-1 -1.5 ${width + 2} ${height + 3}`}
      className={cn("overflow-visible", strokes[tone], className)}
    >
      <title>{label}</title>
      <path
        d={linePath(values, width, height)}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinejoin="round"
        strokeLinecap="round"
      />
    </svg>
  );
}

/** One bar for each of the last outcomes. */
export function OutcomeBars({
  outcomes,
  label,
  height = 18,
}: {
  outcomes: readonly { tone: Tone; size?: number; title?: string }[];
  label: string;
  height?: number;
}) {
  const most = Math.max(1, ...outcomes.map((outcome) => outcome.size ?? 1));
  return (
    <svg role="img" aria-label={label} width={outcomes.length * 5} height={height}>
      <title>{label}</title>
      {outcomes.map((outcome, index) => {
        const tall = Math.max(3, ((outcome.size ?? most) / most) * height);
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: the index identifies a bar.
            key={index}
            x={index * 5}
            y={height - tall}
            width={3.5}
            height={tall}
            rx={1}
            className={strokes[outcome.tone]}
            fill="currentColor"
          >
            {outcome.title && <title>{outcome.title}</title>}
          </rect>
        );
      })}
    </svg>
  );
}
