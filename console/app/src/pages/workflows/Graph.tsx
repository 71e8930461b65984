import { lazy, Suspense } from "react";
import { Skeleton } from "@/ui/Skeleton";
import type { GraphProps } from "./GraphInner";

const Inner = lazy(() => import("./GraphInner"));

/** The picture of a workflow; what draws it loads when it is first shown. */
export function Graph(props: GraphProps) {
  return (
    <Suspense
      fallback={
        <div aria-busy="true" className="h-full">
          <Skeleton className="h-full min-h-72" />
        </div>
      }
    >
      <Inner {...props} />
    </Suspense>
  );
}
