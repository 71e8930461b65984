import { lazy, Suspense } from "react";
import type { CodeEditorProps } from "./CodeEditorInner";
import { Skeleton } from "./Skeleton";

const Inner = lazy(() => import("./CodeEditorInner"));

/** An editor of code, or a view of it, or of what changed between two texts (`original`). It loads when it is first shown. */
export function CodeEditor(props: CodeEditorProps) {
  return (
    <Suspense fallback={<Skeleton className="h-full min-h-40" />}>
      <Inner {...props} />
    </Suspense>
  );
}

export type { CodeEditorProps, CodeLanguage } from "./CodeEditorInner";
