import { lazy, Suspense } from "react";
import { Skeleton } from "./Skeleton";
import type { TimeChartProps } from "./TimeChartInner";

const Inner = lazy(() => import("./TimeChartInner"));

/** Whether there is something to draw: a bar that is not 0, or a point of a line. */
export function hasValues({ kind = "lines", series }: Pick<TimeChartProps, "kind" | "series">): boolean {
  return series.some((one) => one.values.some((value) => value !== null && (kind === "lines" || value > 0)));
}

/**
 * Values over time. It loads when it is first shown; its height is kept meanwhile. Without a value `empty` is said
 * instead of axes that tell nothing.
 */
export function TimeChart({ empty, ...props }: TimeChartProps & { empty: string }) {
  const height = props.height ?? 180;
  if (!hasValues(props)) {
    return (
      <figure aria-label={props.label} style={{ height }} className="grid place-items-center">
        <figcaption className="px-4 text-center text-soft">{empty}</figcaption>
      </figure>
    );
  }
  return (
    <div style={{ height }}>
      <Suspense fallback={<Skeleton className="h-full" />}>
        <Inner {...props} height={height} />
      </Suspense>
    </div>
  );
}

export type { Series, TimeChartProps } from "./TimeChartInner";
