import { useWatch } from "react-hook-form";
import { RadioGroup } from "@/ui/RadioGroup";
import { Section } from "@/ui/Section";
import { Select } from "@/ui/Select";
import { useWords } from "@/words";
import { Bound, BoundSelect, BoundText } from "./Bound";
import { choiceWords } from "./choiceWords";
import { Pairs } from "./Pairs";
import { OverlapPicture, RoutePicture } from "./pictures";
import type { JobValues, Overlap, Route } from "./values";
import { formWords } from "./words";

const routes: Route[] = [
  "round",
  "random",
  "first",
  "last",
  "consistent_hash",
  "least_frequently_used",
  "least_recently_used",
  "failover",
  "busyover",
  "least_loaded",
  "weighted",
  "broadcast",
];
const overlaps: Overlap[] = ["serial", "discard", "cover", "concurrent"];

/** Which executors get runs, and what happens when they meet. */
export function WhereSection({ id }: { id: string }) {
  const t = useWords(choiceWords);
  const form = useWords(formWords);
  const route = useWatch<JobValues, "route">({ name: "route" });
  return (
    <Section title={<span id={id}>{form("where")}</span>}>
      <div className="flex flex-col gap-4">
        <div className="grid gap-4 sm:grid-cols-[1fr_auto]">
          <Bound name="route" label={t("route")} help={t(`${route}Text`)}>
            {(value, set) => (
              <Select
                value={value}
                onChange={set}
                options={routes.map((one) => ({ value: one, label: t(one), help: t(`${one}Text`) }))}
              />
            )}
          </Bound>
          <RoutePicture route={route} label={`${t("pictureRoute")}: ${t(`${route}Text`)}`} />
        </div>
        {route === "broadcast" && (
          <BoundText name="shards" numeric label={t("shards")} help={t("shardsHelp")} className="max-w-60" />
        )}
        <OverlapFields />
        <div className="grid gap-4 sm:grid-cols-2">
          <BoundSelect
            name="delivery.priority"
            label={t("priority")}
            help={t("priorityHelp")}
            options={(["high", "normal", "low"] as const).map((value) => ({ value, label: t(value) }))}
          />
          <BoundText name="delivery.expire_after" mono label={t("expire")} help={t("expireHelp")} placeholder="10m" />
        </div>
        <Bound name="delivery.selector" label={t("selector")} help={t("selectorHelp")} group>
          {(value, set) => <Pairs value={value} onChange={set} add={t("addSelector")} />}
        </Bound>
      </div>
    </Section>
  );
}

function OverlapFields() {
  const t = useWords(choiceWords);
  const overlap = useWatch<JobValues, "overlap">({ name: "overlap" });
  const scope = useWatch<JobValues, "overlap_scope">({ name: "overlap_scope" });
  return (
    <>
      <Bound name="overlap" label={t("overlap")} group>
        {(value, set) => (
          <RadioGroup
            cards
            label={t("overlap")}
            value={value}
            onChange={set}
            options={overlaps.map((one) => ({
              value: one,
              label: t(one),
              help: (
                <span className="flex flex-col gap-2 text-soft">
                  {t(`${one}Text`)}
                  <OverlapPicture overlap={one} label={`${t("pictureOverlap")}: ${t(one)}`} />
                </span>
              ),
            }))}
          />
        )}
      </Bound>
      <div className="grid gap-4 sm:grid-cols-3">
        {overlap === "concurrent" && <BoundText name="concurrency" numeric label={t("concurrency")} placeholder="1" />}
        <BoundSelect
          name="overlap_scope"
          label={t("scope")}
          options={[
            { value: "cluster", label: t("scopeCluster") },
            { value: "executor", label: t("scopeExecutor") },
          ]}
        />
        {scope === "cluster" && overlap !== "discard" && (
          <BoundText name="overlap_queue" numeric label={t("queue")} help={t("queueHelp")} placeholder="1000" />
        )}
      </div>
    </>
  );
}
