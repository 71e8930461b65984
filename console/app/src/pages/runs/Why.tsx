import { useGet } from "@/api/query";
import type { Run } from "@/api/types";
import { Answer, SentenceText } from "@/pages/explanation/SentenceText";
import { ErrorState } from "@/ui/ErrorState";
import { Section } from "@/ui/Section";
import { SkeletonText } from "@/ui/Skeleton";
import { Time } from "@/ui/Time";
import { useWords } from "@/words";
import { RunLink } from "./columns";
import { runsWords } from "./words";

/** Why a run exists and stands where it stands. */
export function Why({ run }: { run: Run }) {
  const t = useWords(runsWords);
  const told = useGet("/runs/{id}/explanation", { path: { id: run.id } });
  return (
    <Section title={t("explanation")} text={told.data && t("zoneOf", { zone: told.data.zone })}>
      {told.error && <ErrorState problem={told.error} compact onRetry={() => void told.refetch()} />}
      {!told.data && !told.error && <SkeletonText lines={4} />}
      {told.data && (
        <div>
          <p className="max-w-prose text-pretty">
            <Answer of={told.data} />
          </p>
          <ol className="mt-3 flex flex-col gap-1.5">
            {told.data.facts.map((fact, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the index identifies a fact.
              <li key={index} className="grid gap-x-4 sm:grid-cols-[10.5rem_1fr]">
                <span className="text-faint text-xs leading-5">
                  {fact.at ? <Time at={fact.at} as="absolute" /> : null}
                </span>
                <span className="min-w-0 break-words text-soft">
                  <SentenceText said={fact} zone={told.data.zone} />{" "}
                  {fact.run_id && fact.run_id !== run.id && <RunLink id={fact.run_id} />}
                </span>
              </li>
            ))}
          </ol>
        </div>
      )}
    </Section>
  );
}
