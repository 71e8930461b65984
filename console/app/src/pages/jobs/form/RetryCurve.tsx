import { useWatch } from "react-hook-form";
import { duration } from "@/ui/format";
import { useWords } from "@/words";
import { delaysBefore } from "./retrycurve";
import type { JobValues } from "./values";
import { formWords } from "./words";

const width = 480;
const height = 96;
const foot = 14;

/** When the retries come: a bar for each, as tall as its delay, with the bounds of what chance adds. */
export function RetryCurve() {
  const t = useWords(formWords);
  const retry = useWatch<JobValues, "retry">({ name: "retry" });
  const delays = delaysBefore(retry);
  if (delays.length === 0) return null;
  const highest = Math.max(1, ...delays.map((one) => one.most));
  const step = width / Math.max(delays.length, 6);
  const y = (ms: number) => height - (ms / highest) * (height - 8);
  const totals = delays.map((_, at) => delays.slice(0, at + 1).reduce((sum, one) => sum + one.delay, 0));
  const label = t("curveSum", { n: delays.length, total: duration(totals.at(-1) ?? 0) });
  return (
    <figure className="rounded-md border bg-sunken p-3">
      <figcaption className="mb-2 flex flex-wrap justify-between gap-2">
        <span className="font-medium">{t("curve")}</span>
        <span className="text-faint">{label}</span>
      </figcaption>
      <svg
        role="img"
        aria-label={label}
        viewBox={`0 0 ${width} ${height + foot}`}
        className="max-h-36 w-full text-accent"
        preserveAspectRatio="xMinYMid meet"
      >
        <title>{label}</title>
        <line x1={0} x2={width} y1={height + 0.5} y2={height + 0.5} className="stroke-line-strong" />
        {delays.map((one, at) => {
          const x = at * step + step * 0.2;
          const middle = x + step * 0.3;
          const tall = Math.max(2, height - y(one.delay));
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: the index identifies a retry.
            <g key={at}>
              <title>
                {t("curveLine", { n: at + 1, delay: duration(one.delay), total: duration(totals[at] ?? 0) })}
              </title>
              <rect
                x={x}
                y={height - tall}
                width={step * 0.6}
                height={tall}
                rx={2}
                fill="currentColor"
                opacity={0.75}
              />
              {one.most > one.least && (
                <path
                  d={`M${middle} ${y(one.least)}V${y(one.most)}M${middle - 3} ${y(one.most)}h6M${middle - 3} ${y(one.least)}h6`}
                  className="stroke-ink"
                  fill="none"
                />
              )}
              {(delays.length <= 12 || at % 5 === 4) && (
                <text x={middle} y={height + 11} textAnchor="middle" className="fill-faint" fontSize={9}>
                  {duration(one.delay)}
                </text>
              )}
            </g>
          );
        })}
      </svg>
    </figure>
  );
}
