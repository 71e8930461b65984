import { CircleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { type Problem, toProblem } from "@/api/problem";
import { useWords } from "@/words";
import { problemWords, sharedWords } from "@/words/shared";
import { Button } from "./Button";
import { cn } from "./cn";

/** What went wrong, in words, with what to do. `compact` is for the foot of a form. */
export function ErrorState({
  problem: thrown,
  title,
  onRetry,
  compact,
  children,
}: {
  problem: Problem | unknown;
  /** What went wrong, when the page knows it better than the code of the problem. */
  title?: ReactNode;
  onRetry?: () => void;
  compact?: boolean;
  children?: ReactNode;
}) {
  const t = useWords(problemWords);
  const shared = useWords(sharedWords);
  const problem = toProblem(thrown);
  // Pages with their own wording, such as the sign-in page, pass a title.
  const over = problem.status === 401 && title === undefined;
  const offline = problem.offline;
  return (
    <div
      role="alert"
      className={cn(
        "flex items-start gap-2.5 rounded-md border border-bad/40 bg-bad-tint text-sm",
        compact ? "px-3 py-2" : "m-4 px-4 py-3",
      )}
    >
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />
      <div className="min-w-0 flex-1">
        <p className="font-medium text-bad">
          {title ?? t(over ? "sessionOver" : (problem.code as Parameters<typeof t>[0]))}
        </p>
        {over && <p>{t("sessionOverHint")}</p>}
        {!over && problem.detail && (
          <p className="break-words">
            {problem.field && <code className="mr-1 font-mono text-xs">{problem.field}</code>}
            {problem.detail}
          </p>
        )}
        {problem.errors.map((error) => (
          <p key={`${error.field} ${error.detail}`} className="break-words">
            <code className="mr-1 font-mono text-xs">{error.field}</code>
            {error.detail}
          </p>
        ))}
        {!over && (problem.hint || offline) && <p className="text-soft">{offline ? t("offlineHint") : problem.hint}</p>}
        {problem.id && <p className="text-soft text-xs">{t("errorId", { id: problem.id })}</p>}
        {children}
        {onRetry && (
          <Button size="small" className="mt-2" onClick={onRetry}>
            {shared("retry")}
          </Button>
        )}
      </div>
    </div>
  );
}
