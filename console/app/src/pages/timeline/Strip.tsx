import { memo } from "react";
import { useWords } from "@/words";
import { levelOf } from "./bins";
import { timelineWords } from "./words";

const opacities = [0, 0.22, 0.4, 0.58, 0.78, 1];

/** One row of heat: a cell for each step of time. */
export const Strip = memo(function Strip({
  counts,
  most,
  name,
  bands,
  clockAt,
}: {
  counts: readonly number[];
  most: number;
  /** The times in which pauses hold all that the row is about, in cells. */
  bands: readonly { pause: string; from: number; until: number }[];
  /** What the row is about, for those who do not see it. */
  name: string;
  /** The clock time at the beginning of a cell. */
  clockAt: (cell: number) => string;
}) {
  const t = useWords(timelineWords);
  const fires = t("row", { name, n: counts.reduce((sum, count) => sum + count, 0) });
  const label = [fires, ...bands.map((one) => t("heldBy", { pause: one.pause }))].join("; ");
  return (
    <div className="relative">
      <svg
        role="img"
        aria-label={label}
        viewBox={`0 0 ${counts.length} 1`}
        preserveAspectRatio="none"
        className="block h-6 w-full rounded-sm bg-sunken text-accent"
      >
        {counts.map((count, cell) => {
          const level = levelOf(count, most);
          if (level === 0) return null;
          return (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: the index identifies a cell.
              key={cell}
              x={cell + 0.04}
              y={0}
              width={0.92}
              height={1}
              fill="currentColor"
              fillOpacity={opacities[level]}
            >
              <title>{t("cell", { from: clockAt(cell), until: clockAt(cell + 1), n: count })}</title>
            </rect>
          );
        })}
      </svg>
      {bands.map((one) => (
        <span
          key={`${one.pause} ${one.from}`}
          data-held={one.pause}
          title={t("heldBy", { pause: one.pause })}
          className="held-band absolute inset-y-0 rounded-sm border-warn border-x"
          style={{
            left: `${(one.from / counts.length) * 100}%`,
            width: `${((one.until - one.from) / counts.length) * 100}%`,
          }}
        />
      ))}
    </div>
  );
});

/** What the strengths mean. */
export function StripLegend() {
  const t = useWords(timelineWords);
  return (
    <span className="flex flex-wrap items-center gap-x-1.5 text-faint text-xs">
      {t("fewer")}
      <svg aria-hidden="true" width={60} height={12} className="shrink-0 text-accent">
        {opacities.slice(1).map((opacity, at) => (
          <rect key={opacity} x={at * 12} width={11} height={12} rx={2} fill="currentColor" fillOpacity={opacity} />
        ))}
      </svg>
      <span>
        {t("more")} ({t("orMore")})
      </span>
      <span aria-hidden className="held-band ml-2 h-3 w-5 rounded-sm border-warn border-x" />
      {t("heldLegend")}
    </span>
  );
}
