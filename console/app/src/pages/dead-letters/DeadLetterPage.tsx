import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { Archive, RotateCcw } from "lucide-react";
import { useState } from "react";
import { post } from "@/api/client";
import { useGet } from "@/api/query";
import { reasonText } from "@/pages/explanation/reasonText";
import { JobLink, RunLink } from "@/pages/runs/columns";
import { RerunDialog } from "@/pages/runs/RerunDialog";
import { WhyLine } from "@/pages/runs/WhyLine";
import { useSession } from "@/session/session";
import { Button } from "@/ui/Button";
import { Confirm } from "@/ui/Confirm";
import { ErrorState } from "@/ui/ErrorState";
import { Field } from "@/ui/Field";
import { Input } from "@/ui/Input";
import { JsonView } from "@/ui/JsonView";
import { KeyValue } from "@/ui/KeyValue";
import { ButtonLink, Link } from "@/ui/Link";
import { LogView } from "@/ui/LogView";
import { PageHeader } from "@/ui/PageHeader";
import { Section } from "@/ui/Section";
import { SkeletonText } from "@/ui/Skeleton";
import { StateBadge } from "@/ui/StateBadge";
import { Time } from "@/ui/Time";
import { useToast } from "@/ui/Toast";
import { useWords } from "@/words";
import { causeWords, sharedWords } from "@/words/shared";
import { LetterStatus } from "./DeadLettersPage";
import { letterWords } from "./words";

/** One dead letter: why it died, its last lines, and the two ways on. */
export function DeadLetterPage() {
  const { id } = useParams({ from: "/shell/dead-letters/$id" });
  const t = useWords(letterWords);
  const shared = useWords(sharedWords);
  const cause = useWords(causeWords);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const toast = useToast();
  const { whyNot } = useSession();
  const [deed, setDeed] = useState<"redrive" | "close" | null>(null);
  const [reason, setReason] = useState("");
  const { data: letter, error, refetch } = useGet("/dead-letters/{run}", { path: { run: id } });
  const { data: run } = useGet("/runs/{id}", { path: { id } }, { enabled: letter?.status === "open" });
  const refresh = () => {
    for (const path of ["/dead-letters", "/dead-letters/{run}", "/runs/{id}"])
      void queries.invalidateQueries({ queryKey: [path] });
  };
  const redriven = (made: string) => {
    refresh();
    void navigate({ to: "/runs/$id", params: { id: made } });
  };
  const close = async () => {
    await post("/dead-letters/{run}/close", { path: { run: id }, body: reason ? { reason } : {} });
    refresh();
    toast.done(t("done"));
  };
  const right = whyNot("operate", letter?.namespace, letter?.group);
  const crumbs = [
    <Link key="all" to="/dead-letters">
      {t("title")}
    </Link>,
  ];
  if (!letter) {
    return (
      <>
        <PageHeader title={t("one", { id })} crumbs={crumbs} />
        {error ? <ErrorState problem={error} onRetry={() => void refetch()} /> : <SkeletonText lines={6} />}
      </>
    );
  }
  const why = reasonText(letter.message || letter.reason);
  return (
    <>
      <PageHeader
        title={t("one", { id })}
        crumbs={crumbs}
        text={why && <WhyLine text={why} />}
        badges={
          <>
            <StateBadge state={letter.state ?? "failed"} />
            <LetterStatus status={letter.status} />
          </>
        }
        actions={
          <>
            <ButtonLink to="/runs/$id" params={{ id }}>
              {t("run")}
            </ButtonLink>
            {letter.status === "open" && (
              <>
                <Button icon={Archive} reason={right} onClick={() => setDeed("close")}>
                  {t("close")}
                </Button>
                <Button
                  icon={RotateCcw}
                  look="main"
                  reason={right ?? (letter.job_deleted ? t("jobGone") : undefined)}
                  onClick={() => setDeed("redrive")}
                >
                  {t("redrive")}
                </Button>
              </>
            )}
          </>
        }
      />
      <div className="flex flex-col gap-4">
        <Section title={t("why")}>
          <KeyValue
            items={[
              [shared("job"), <JobLink key="job" run={letter} />],
              [shared("group"), letter.group],
              [shared("namespace"), letter.namespace],
              [shared("cause"), letter.cause && cause(letter.cause as Parameters<typeof cause>[0])],
              [shared("planned"), letter.planned_at && <Time key="planned" at={letter.planned_at} as="absolute" />],
              [shared("ended"), <Time key="ended" at={letter.ended_at} as="absolute" />],
              [t("tries"), letter.tries],
              [shared("reason"), reasonText(letter.reason) || undefined],
              [shared("message"), letter.message && <JsonView key="message" value={letter.message} />],
              [t("inPlace"), letter.redriven_run && <RunLink key="new" id={letter.redriven_run} />],
              [t("closedWhy"), letter.closed_reason],
              [t("closed"), letter.closed_at && <Time key="closed" at={letter.closed_at} as="absolute" />],
            ]}
          />
        </Section>
        <Section flush>
          <LogView runId={id} />
        </Section>
      </div>
      {deed === "redrive" && run && (
        <RerunDialog
          run={run}
          redrives
          namespace={letter.namespace}
          group={letter.group}
          onClose={() => setDeed(null)}
          onDone={redriven}
        />
      )}
      <Confirm
        open={deed === "close"}
        onClose={() => setDeed(null)}
        title={t("close")}
        text={t("closeText")}
        action={t("close")}
        onConfirm={close}
      >
        <Field label={shared("reason")} help={t("reasonHelp")}>
          <Input value={reason} maxLength={200} onChange={(event) => setReason(event.target.value)} />
        </Field>
      </Confirm>
    </>
  );
}
