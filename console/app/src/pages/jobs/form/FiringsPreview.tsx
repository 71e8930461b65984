import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { LoaderCircle, TriangleAlert } from "lucide-react";
import { post } from "@/api/client";
import type { Problem } from "@/api/problem";
import type { Schema } from "@/api/types";
import { Badge } from "@/ui/Badge";
import { cn } from "@/ui/cn";
import { Skeleton, SkeletonText } from "@/ui/Skeleton";
import { Time } from "@/ui/Time";
import { useDebounced } from "@/ui/useDebounced";
import { useLanguage, useWords } from "@/words";
import { sentenceLanguage, sentenceText } from "../sentence";
import { whenWords } from "./whenWords";

/** Previews the schedule in the form: its description in a sentence, and its next firings. */
export function FiringsPreview({
  schedule,
  namespace,
  jobKey,
  whole = true,
}: {
  schedule: Schema<"Schedule">;
  namespace: string;
  jobKey: string;
  /** Whether the schedule is complete. An incomplete one is not sent to the server. */
  whole?: boolean;
}) {
  const t = useWords(whenWords);
  const [language] = useLanguage();
  const settled = useDebounced(JSON.stringify([schedule, jobKey]), 300);
  const asked = useQuery<Schema<"FiringList">, Problem>({
    queryKey: ["firings-preview", namespace, sentenceLanguage(language), settled],
    queryFn: ({ signal }) => {
      const [of, key] = JSON.parse(settled) as [Schema<"Schedule">, string];
      return post("/firings", {
        query: { namespace },
        body: { schedule: of, count: 20, language: sentenceLanguage(language), job_key: key || undefined },
        signal,
      });
    },
    enabled: whole,
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 30_000,
  });
  const { data, error } = asked;
  return (
    <section aria-label={t("preview")} aria-busy={asked.isFetching} className="rounded-md border bg-sunken">
      <h3 className="flex items-center justify-between border-b px-3 py-2 text-sm">
        {t("preview")}
        {asked.isPlaceholderData && <LoaderCircle aria-hidden className="size-3.5 animate-spin text-soft" />}
      </h3>
      {!whole ? (
        <p className="px-3 py-2 text-faint">{t("previewLater")}</p>
      ) : error ? (
        <p role="status" className="flex items-start gap-2 px-3 py-2 text-soft">
          <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0 text-warn" />
          <span>
            {t("previewRefused")} {error.fields.map((one) => one.detail).join(" ") || error.detail}
          </span>
        </p>
      ) : data ? (
        <>
          <p role="status" className="border-b px-3 py-2 font-medium">
            {sentenceText(data.sentence, language)}
          </p>
          <FiringLines list={data} kind={schedule.kind} />
        </>
      ) : (
        <div className="flex flex-col gap-3 p-3">
          <Skeleton className="w-2/3" />
          <SkeletonText lines={8} />
        </div>
      )}
    </section>
  );
}

/** Lists firings, with the effect of calendars on each. */
export function FiringLines({ list, kind }: { list: Schema<"FiringList">; kind: Schema<"Schedule">["kind"] }) {
  const t = useWords(whenWords);
  return (
    <>
      {list.warnings?.map((warning) => (
        <p key={warning} className="flex items-start gap-2 border-b px-3 py-2 text-warn">
          <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
          {warning}
        </p>
      ))}
      {list.firings.length === 0 ? (
        <p className="px-3 py-2 text-faint">{t(kind === "after" ? "previewAfter" : "previewNone")}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard.
        <ol tabIndex={0} className="max-h-96 overflow-y-auto py-1">
          {list.firings.map((firing) => (
            <FiringLine key={`${firing.at} ${firing.dropped}`} firing={firing} />
          ))}
        </ol>
      )}
      {list.firings.length > 0 && (
        <p className="border-t px-3 py-1.5 text-faint text-xs">
          {t("inZone", { zone: list.zone })} · {t(list.more ? "more" : "noMore")}
        </p>
      )}
    </>
  );
}

function FiringLine({ firing }: { firing: Schema<"Firing"> }) {
  const t = useWords(whenWords);
  const day = firing.day ? ` · ${firing.day}` : "";
  return (
    <li className="flex flex-wrap items-center gap-x-3 px-3 py-0.5">
      <span className={cn("whitespace-nowrap font-mono text-xs", firing.dropped && "text-faint line-through")}>
        {firing.local}
      </span>
      {!firing.dropped && <Time at={firing.at} className="text-faint text-xs" />}
      {firing.into ? (
        <Badge tone="idle">{t("intoOne")}</Badge>
      ) : firing.dropped ? (
        <Badge tone="warn">{t("dropped", { calendar: (firing.calendar ?? "") + day })}</Badge>
      ) : (
        firing.named &&
        firing.calendar && (
          <span className="inline-flex items-center gap-1 text-faint text-xs">
            {t("moved", { from: "" })}
            <Time at={firing.named} as="absolute" />
            {day}
          </span>
        )
      )}
    </li>
  );
}
