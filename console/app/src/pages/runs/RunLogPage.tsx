import { useLocation, useNavigate, useParams } from "@tanstack/react-router";
import { ErrorState } from "@/ui/ErrorState";
import { ButtonLink, Link } from "@/ui/Link";
import { LogView } from "@/ui/LogView";
import { hashOfRange, rangeOfHash } from "@/ui/log/window";
import { PageHeader } from "@/ui/PageHeader";
import { StateBadge } from "@/ui/StateBadge";
import { useWords } from "@/words";
import { JobLink } from "./columns";
import { useRun } from "./useRun";
import { runsWords } from "./words";

/** The log of a run and nothing else: for long ones, and to link to lines of them. */
export function RunLogPage() {
  const { id } = useParams({ from: "/shell/runs/$id/log" });
  const t = useWords(runsWords);
  const navigate = useNavigate();
  const { hash } = useLocation();
  const { run, problem, retry } = useRun(id);
  return (
    <div className="flex h-[calc(100dvh-2rem)] min-h-80 flex-col">
      <PageHeader
        title={t("log")}
        documentTitle={`${t("log")} ${id}`}
        crumbs={[
          <Link key="runs" to="/runs">
            {t("title")}
          </Link>,
          <Link key="run" to="/runs/$id" params={{ id }}>
            {t("run", { id })}
          </Link>,
        ]}
        badges={
          run && (
            <>
              <StateBadge state={run.state} />
              <JobLink run={run} />
            </>
          )
        }
        actions={
          <ButtonLink to="/runs/$id" params={{ id }}>
            {t("backToRun")}
          </ButtonLink>
        }
      />
      {problem && !run ? (
        <ErrorState problem={problem} onRetry={retry} />
      ) : (
        <div className="min-h-0 flex-1 overflow-hidden rounded-lg border">
          <LogView
            runId={id}
            fill
            marked={rangeOfHash(hash)}
            onMark={(range) =>
              void navigate({
                to: ".",
                search: true,
                hash: hashOfRange(range),
                replace: true,
                hashScrollIntoView: false,
                resetScroll: false,
              })
            }
          />
        </div>
      )}
    </div>
  );
}
