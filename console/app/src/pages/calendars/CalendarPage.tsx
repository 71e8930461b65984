import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { FileUp, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { getTagged, remove } from "@/api/client";
import { type Problem, toProblem } from "@/api/problem";
import type { Schema } from "@/api/types";
import { allJobs } from "@/pages/jobs/allJobs";
import { useSession } from "@/session/session";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Confirm } from "@/ui/Confirm";
import { ErrorState } from "@/ui/ErrorState";
import { KeyValue } from "@/ui/KeyValue";
import { Link } from "@/ui/Link";
import { PageHeader } from "@/ui/PageHeader";
import { Section } from "@/ui/Section";
import { SkeletonText } from "@/ui/Skeleton";
import { Time } from "@/ui/Time";
import { useToast } from "@/ui/Toast";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { KnownUntil } from "./CalendarsPage";
import { EditRules } from "./EditRules";
import { ImportDialog } from "./ImportDialog";
import { names } from "./rules";
import { calendarWords } from "./words";
import { Year } from "./Year";

type Calendar = Schema<"Calendar">;

/** One calendar: its days, who names it, and its rules to be edited. */
export function CalendarPage() {
  const { ns, key } = useParams({ from: "/shell/calendars/$ns/$key" });
  const t = useWords(calendarWords);
  const { may } = useSession();
  const [asked, setAsked] = useState<"edit" | "import" | "delete" | null>(null);
  const answer = useQuery<{ data: Calendar; etag: string }, Problem>({
    queryKey: ["/calendars/{key}", ns, key],
    queryFn: ({ signal }) => getTagged("/calendars/{key}", { path: { key }, query: { namespace: ns }, signal }),
  });
  const crumbs = [
    <Link key="all" to="/calendars">
      {t("title")}
    </Link>,
  ];
  if (!answer.data) {
    return (
      <>
        <PageHeader title={key} crumbs={crumbs} />
        {answer.error ? (
          <ErrorState problem={answer.error} onRetry={() => void answer.refetch()} />
        ) : (
          <div aria-busy="true">
            <SkeletonText lines={8} />
          </div>
        )}
      </>
    );
  }
  const { data: calendar, etag } = answer.data;
  const rules = calendar.rules;
  return (
    <>
      <PageHeader
        title={key}
        crumbs={crumbs}
        text={calendar.title}
        badges={<Badge>{t(rules.mode === "only" ? "onlyShort" : "excludeShort")}</Badge>}
        actions={
          may("edit", ns) &&
          asked !== "edit" && (
            <>
              <Button look="dangerPlain" icon={Trash2} onClick={() => setAsked("delete")}>
                {t("deleteCalendar")}
              </Button>
              <Button icon={FileUp} onClick={() => setAsked("import")}>
                {t("importAnew")}
              </Button>
              <Button look="main" icon={Pencil} onClick={() => setAsked("edit")}>
                {t("editRules")}
              </Button>
            </>
          )
        }
      />
      <div className="flex flex-col gap-4">
        {rules.known_until && Date.parse(rules.known_until) < Date.now() && (
          <p role="status" className="rounded-md border border-warn/40 bg-warn-tint px-3 py-2">
            {t("endedText", { date: rules.known_until })}
          </p>
        )}
        {asked === "edit" ? (
          <EditRules calendar={calendar} onClose={() => setAsked(null)} />
        ) : (
          <>
            <Facts calendar={calendar} />
            <Year rules={rules} />
            <Users namespace={ns} calendar={key} />
          </>
        )}
      </div>
      {asked === "import" && <ImportDialog namespace={ns} calendar={calendar} onClose={() => setAsked(null)} />}
      <DeleteCalendar calendar={calendar} etag={etag} open={asked === "delete"} onClose={() => setAsked(null)} />
    </>
  );
}

function Facts({ calendar }: { calendar: Calendar }) {
  const t = useWords(calendarWords);
  const shared = useWords(sharedWords);
  const { rules } = calendar;
  return (
    <Section title={t("about")}>
      <KeyValue
        columns={2}
        items={[
          [t("mode"), t(rules.mode === "only" ? "only" : "exclude")],
          [t("weekdays"), (rules.weekdays ?? []).map((day) => t(day as "SUN")).join(", ")],
          [shared("namespace"), calendar.namespace],
          [t("version"), calendar.version],
          [t("knownUntil"), rules.known_until && <KnownUntil key="known" date={rules.known_until} />],
          [t("source"), rules.source],
          [shared("created"), <Time key="created" at={calendar.created_at} />],
          [shared("updated"), <Time key="updated" at={calendar.updated_at} />],
        ]}
      />
    </Section>
  );
}

function Users({ namespace, calendar }: { namespace: string; calendar: string }) {
  const t = useWords(calendarWords);
  const found = useQuery({
    queryKey: ["/jobs", "of-calendar", namespace],
    queryFn: ({ signal }) => allJobs({ namespace }, signal),
    staleTime: 30_000,
  });
  const jobs = found.data?.jobs.filter((job) => names(job.schedule, calendar));
  return (
    <Section title={t("nextFirings")}>
      {found.error && <ErrorState problem={toProblem(found.error)} compact onRetry={() => void found.refetch()} />}
      {!jobs && !found.error && <SkeletonText lines={2} />}
      {jobs?.length === 0 && <p className="text-soft">{t("noJobs")}</p>}
      {jobs && jobs.length > 0 && (
        <ul className="flex flex-wrap gap-x-4 gap-y-1">
          {jobs.map((job) => (
            <li key={job.key}>
              <Link
                to="/jobs/$id"
                params={{ id: job.key } as never}
                search={{ ns: namespace === "default" ? undefined : namespace } as never}
                className="inline-flex h-6 items-center"
              >
                {job.key}
              </Link>
            </li>
          ))}
        </ul>
      )}
      {found.data?.more && <p className="mt-2 text-warn">{t("moreJobs")}</p>}
    </Section>
  );
}

function DeleteCalendar({
  calendar,
  etag,
  open,
  onClose,
}: {
  calendar: Calendar;
  etag: string;
  open: boolean;
  onClose: () => void;
}) {
  const t = useWords(calendarWords);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const { key, namespace } = calendar;
  return (
    <Confirm
      open={open}
      onClose={onClose}
      danger
      title={t("deleteCalendar")}
      text={t("deleteText", { key })}
      action={t("deleteCalendar")}
      typed={key}
      onConfirm={async () => {
        await remove("/calendars/{key}", { path: { key }, query: { namespace }, ifMatch: etag });
        void queries.invalidateQueries({ queryKey: ["/calendars"] });
        toast.done(t("deleted", { key }));
        void navigate({ to: "/calendars" });
      }}
    />
  );
}
