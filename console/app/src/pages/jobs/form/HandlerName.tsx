import { useWatch } from "react-hook-form";
import { useGet } from "@/api/query";
import { Combobox } from "@/ui/Combobox";
import { useWords } from "@/words";
import { Bound } from "./Bound";
import { nameStatus, namesIn, type Offer } from "./offer";
import { kindOfHandler } from "./runs";
import { scriptKinds } from "./scripts";
import type { JobValues } from "./values";
import { formWords } from "./words";

/**
 * The name of the handler: one that executors of the group have announced, or any other. Executors of other makes
 * announce none, so names that other jobs use are offered beside theirs.
 */
export function HandlerName({
  namespace,
  group,
  offer,
}: {
  namespace: string;
  group: string;
  offer: Offer | undefined;
}) {
  const t = useWords(formWords);
  const name = useWatch<JobValues, "handler">({ name: "handler" });
  const foreign = !offer || offer.executors === 0 || offer.silent > 0;
  const facets = useGet("/job-facets", { query: { namespace } }, { staleTime: 60_000, enabled: foreign });
  const announced = namesIn(offer);
  const kinds: readonly string[] = scriptKinds;
  const used = (foreign ? (facets.data?.handlers ?? []) : [])
    .map((one) => one.value)
    .filter(
      (one) => !kinds.includes(one) && kindOfHandler(one) === "handler" && !announced.some((a) => a.name === one),
    );
  const options = [
    ...announced.map((one) => ({
      value: one.name,
      label: one.name,
      help: t("announcedBy", { n: one.executors, all: offer?.executors ?? 0 }),
    })),
    ...used.map((value) => ({ value, label: value, help: t("usedByJobs") })),
  ];
  const standing = nameStatus(offer, name);
  return (
    <Bound
      name="handler"
      field="handler.name"
      label={t("handlerName")}
      required
      help={
        <>
          {t("handlerHelp")}
          {standing !== "fine" && (
            <span className="mt-0.5 block text-warn">
              {t(standing === "nobody" ? "nameNobody" : "namePerhaps", { name: name.trim(), group })}
            </span>
          )}
        </>
      }
    >
      {(value, set) => <Combobox free value={value} onChange={set} options={options} />}
    </Bound>
  );
}
