import { lazy, Suspense } from "react";
import { Skeleton } from "./Skeleton";
import type { TimeChartProps } from "./TimeChartInner";

const Inner = lazy(() => import("./TimeChartInner"));

/** Values over time. It loads when it is first shown; its height is kept meanwhile. */
export function TimeChart(props: TimeChartProps) {
  const height = props.height ?? 180;
  return (
    <div style={{ height }}>
      <Suspense fallback={<Skeleton className="h-full" />}>
        <Inner {...props} height={height} />
      </Suspense>
    </div>
  );
}

export type { Series, TimeChartProps } from "./TimeChartInner";
