import { useMemo } from "react";
import { Button } from "@/ui/Button";
import { absolute, duration } from "@/ui/format";
import { Link } from "@/ui/Link";
import { Section } from "@/ui/Section";
import { useWords } from "@/words";
import { crowdsOf, gapsOf, type JobTimes, type Span } from "./bins";
import { nsOf } from "./Heat";
import { timelineWords } from "./words";

const clock = (from: number, minute: number) => absolute(from + minute * 60_000).slice(5, 16);

function JobLinks({ jobs }: { jobs: readonly JobTimes[] }) {
  return (
    <span className="flex min-w-0 flex-wrap gap-x-3">
      {jobs.slice(0, 6).map((job) => (
        <Link
          key={`${job.namespace}/${job.key}`}
          to="/jobs/$id"
          params={{ id: job.key } as never}
          search={{ ns: nsOf(job) } as never}
          className="inline-flex h-6 items-center"
        >
          {job.key}
        </Link>
      ))}
      {jobs.length > 6 && <span className="text-faint">+{jobs.length - 6}</span>}
    </span>
  );
}

/** The minutes in which the most jobs fire at once. */
export function Crowds({ jobs, from }: { jobs: readonly JobTimes[]; from: number }) {
  const t = useWords(timelineWords);
  const crowds = useMemo(() => crowdsOf(jobs, 8), [jobs]);
  return (
    <Section title={t("crowds")} text={t("crowdsText")}>
      {crowds.length === 0 && <p className="text-soft">{t("noCrowds")}</p>}
      <ol className="flex flex-col gap-1.5">
        {crowds.map((crowd) => (
          <li key={crowd.minute} className="flex items-baseline gap-3">
            <span className="whitespace-nowrap tabular-nums">{clock(from, crowd.minute)}</span>
            <span className="w-16 shrink-0 whitespace-nowrap font-medium">{t("crowd", { n: crowd.jobs.length })}</span>
            <JobLinks jobs={crowd.jobs} />
          </li>
        ))}
      </ol>
    </Section>
  );
}

/** The longest times in which nothing fires; one of them may be chosen. */
export function Gaps({
  jobs,
  from,
  minutes,
  onPick,
}: {
  jobs: readonly JobTimes[];
  from: number;
  minutes: number;
  onPick: (span: Span) => void;
}) {
  const t = useWords(timelineWords);
  const gaps = useMemo(() => gapsOf(jobs, minutes, 15, 8), [jobs, minutes]);
  return (
    <Section title={t("gaps")} text={t("gapsText")}>
      {gaps.length === 0 && <p className="text-soft">{t("noGaps")}</p>}
      <ol className="flex flex-col gap-1">
        {gaps.map((gap) => (
          <li key={gap.from} className="flex items-center gap-3">
            <span className="whitespace-nowrap tabular-nums">
              {clock(from, gap.from)} – {clock(from, gap.until)}
            </span>
            <span className="flex-1 font-medium">{duration((gap.until - gap.from) * 60_000)}</span>
            <Button size="small" look="quiet" onClick={() => onPick(gap)}>
              {t("pick")}
            </Button>
          </li>
        ))}
      </ol>
    </Section>
  );
}

/** The jobs of which not all is known. */
export function Remarks({ jobs }: { jobs: readonly JobTimes[] }) {
  const t = useWords(timelineWords);
  const some = jobs.filter((job) => job.problem || job.partly);
  if (some.length === 0) return null;
  return (
    <Section title={t("troubled")}>
      <ul className="flex flex-col gap-1">
        {some.slice(0, 50).map((job) => (
          <li key={`${job.namespace}/${job.key}`} className="flex flex-wrap items-center gap-x-3">
            <JobLinks jobs={[job]} />
            <span className={job.problem ? "text-bad" : "text-soft"}>
              {job.problem ? t("problem", { problem: job.problem }) : t("partly")}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
