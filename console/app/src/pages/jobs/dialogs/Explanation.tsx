import { useState } from "react";
import { useGet } from "@/api/query";
import type { Job } from "@/api/types";
import { Answer, SentenceText } from "@/pages/explanation/SentenceText";
import { Button } from "@/ui/Button";
import { ErrorState } from "@/ui/ErrorState";
import { Field } from "@/ui/Field";
import { Input } from "@/ui/Input";
import { Link } from "@/ui/Link";
import { SkeletonText } from "@/ui/Skeleton";
import { Time } from "@/ui/Time";
import { useWords } from "@/words";
import { actionWords } from "../words";

/** The server's explanation of a job at a time, with the facts it is based on. */
export function Explanation({ job }: { job: Job }) {
  const t = useWords(actionWords);
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState("");
  const { data, error, refetch } = useGet("/jobs/{key}/explanation", {
    path: { key: job.key },
    query: { namespace: job.namespace, at: at || undefined },
  });
  return (
    <div className="flex flex-col gap-4">
      <form
        className="flex items-start gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          setAt(typed.trim());
        }}
      >
        <Field
          className="flex-1"
          label={t("explainAt")}
          help={t("explainAtHelp")}
          error={error?.field === "at" ? error.detail : undefined}
        >
          <Input mono value={typed} placeholder="2030-01-31 02:00" onChange={(event) => setTyped(event.target.value)} />
        </Field>
        <Button type="submit" className="mt-6">
          {t("ask")}
        </Button>
      </form>
      {error && error.field !== "at" && <ErrorState compact problem={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonText lines={4} />}
      {data && (
        <div role="status" className="flex flex-col gap-3">
          <p className="text-pretty text-base">
            <Answer of={data} />
          </p>
          <ol className="flex flex-col gap-1.5 border-l pl-4">
            {data.facts.map((fact, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the index identifies a fact.
              <li key={index} className="grid gap-x-4 sm:grid-cols-[10rem_1fr]">
                <span className="text-faint">{fact.at ? <Time at={fact.at} as="absolute" /> : "–"}</span>
                <span>
                  <SentenceText said={fact} zone={data.zone} />{" "}
                  {fact.run_id && (
                    <Link to="/runs/$id" params={{ id: fact.run_id } as never} className="underline">
                      {t("open")}
                    </Link>
                  )}
                </span>
              </li>
            ))}
          </ol>
          <p className="text-faint text-xs">{t("zoneOf", { zone: data.zone })}</p>
        </div>
      )}
    </div>
  );
}
