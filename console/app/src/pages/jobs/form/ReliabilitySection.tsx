import { useWatch } from "react-hook-form";
import { Checkbox } from "@/ui/Checkbox";
import { RadioGroup } from "@/ui/RadioGroup";
import { Section } from "@/ui/Section";
import { useWords } from "@/words";
import { stateWords } from "@/words/shared";
import { Bound, BoundText } from "./Bound";
import { Hint } from "./Hint";
import { RetryCurve } from "./RetryCurve";
import type { JobValues } from "./values";
import { formWords } from "./words";

/** What becomes of attempts that fail, take too long, or lose their executor. */
export function ReliabilitySection({ id }: { id: string }) {
  const t = useWords(formWords);
  return (
    <Section title={<span id={id}>{t("reliability")}</span>}>
      <div className="flex flex-col gap-4">
        <div className="grid gap-4 sm:grid-cols-3">
          <BoundText name="timeout" mono label={t("timeout")} help={t("timeoutHelp")} placeholder="30s" />
          <BoundText name="delivery.deadline" mono label={t("deadline")} help={t("deadlineHelp")} placeholder="2h" />
          <BoundText name="stop_after" numeric label={t("stopAfter")} help={t("stopAfterHelp")} />
        </div>
        <RetryFields />
        <Bound name="on_crash" label={t("onCrash")} group>
          {(value, set) => (
            <RadioGroup
              cards
              label={t("onCrash")}
              value={value}
              onChange={set}
              options={[
                { value: "report", label: t("crashReport"), help: <Hint>{t("crashReportHelp")}</Hint> },
                { value: "rerun", label: t("crashRerun"), help: <Hint>{t("crashRerunHelp")}</Hint> },
              ]}
            />
          )}
        </Bound>
      </div>
    </Section>
  );
}

const ends = ["failed", "timed_out", "lost"] as const;

function RetryFields() {
  const t = useWords(formWords);
  const states = useWords(stateWords);
  const way = useWatch<JobValues, "retry.way">({ name: "retry.way" });
  return (
    <>
      <Bound name="retry.way" label={t("retry")} group>
        {(value, set) => (
          <RadioGroup
            cards
            label={t("retry")}
            value={value}
            onChange={set}
            options={[
              { value: "none", label: t("retryNone") },
              { value: "growing", label: t("retryGrowing"), help: <Hint>{t("retryGrowingHelp")}</Hint> },
              { value: "list", label: t("retryList"), help: <Hint>{t("retryListHelp")}</Hint> },
            ]}
          />
        )}
      </Bound>
      {way !== "none" && (
        <>
          <div className="grid gap-4 sm:grid-cols-3 lg:grid-cols-5">
            {way === "growing" ? (
              <>
                <BoundText name="retry.tries" numeric required label={t("tries")} placeholder="3" />
                <BoundText name="retry.initial" mono label={t("initial")} placeholder="1s" />
                <BoundText name="retry.multiplier" numeric label={t("multiplier")} placeholder="2" />
                <BoundText name="retry.max" mono label={t("longest")} placeholder="10m" />
              </>
            ) : (
              <>
                <BoundText
                  name="retry.delays"
                  mono
                  required
                  className="sm:col-span-2 lg:col-span-3"
                  label={t("delays")}
                  help={t("delaysHelp")}
                  placeholder="10s, 1m, 5m"
                />
                <BoundText name="retry.tries" numeric label={t("tries")} help={t("triesList")} />
              </>
            )}
            <BoundText name="retry.jitter" numeric label={t("jitter")} help={t("jitterHelp")} placeholder="0" />
          </div>
          <RetryCurve />
          <Bound name="retry.on" label={t("retryOn")} group>
            {(value, set) => (
              <span className="flex flex-wrap gap-4">
                {ends.map((end) => (
                  <Checkbox
                    key={end}
                    checked={value.includes(end)}
                    onChange={(on) => set(on ? [...value, end] : value.filter((one) => one !== end))}
                  >
                    {states(end)}
                  </Checkbox>
                ))}
              </span>
            )}
          </Bound>
        </>
      )}
    </>
  );
}
