import { useWatch } from "react-hook-form";
import { useGet } from "@/api/query";
import { Checkbox } from "@/ui/Checkbox";
import { Combobox } from "@/ui/Combobox";
import { zone as viewerZone } from "@/ui/format";
import { MultiSelect } from "@/ui/MultiSelect";
import { RadioGroup } from "@/ui/RadioGroup";
import { Section } from "@/ui/Section";
import { useWords } from "@/words";
import { InstantInput } from "../dialogs/InstantInput";
import { Bound, BoundSelect, BoundText } from "./Bound";
import { hasWallTimes, scheduleTo } from "./body";
import { CronEditor } from "./CronEditor";
import { FiringsPreview } from "./FiringsPreview";
import { Folded } from "./Folded";
import { whenFaults } from "./faults";
import { Hint } from "./Hint";
import { Members } from "./Members";
import type { JobValues } from "./values";
import { whenWords } from "./whenWords";
import { formWords } from "./words";

const kinds = ["cron", "every", "after", "daily", "once", "several", "manual"] as const;
const zones = Intl.supportedValuesOf("timeZone");
const zoneOptions = [...new Set(["UTC", viewerZone, ...zones])].map((value) => ({ value, label: value }));

/** When the job fires, and what it would do. */
export function WhenSection({ id, namespace }: { id: string; namespace: string }) {
  const t = useWords(whenWords);
  const form = useWords(formWords);
  const schedule = useWatch<JobValues, "schedule">({ name: "schedule" });
  const key = useWatch<JobValues, "key">({ name: "key" });
  const whole = Object.keys(whenFaults(useWatch<JobValues>() as JobValues, form)).length === 0;
  const { kind } = schedule;
  return (
    <Section title={<span id={id}>{form("when")}</span>}>
      <div className="flex flex-col gap-4">
        <Bound name="schedule.kind" label={t("kind")} group>
          {(value, set) => (
            <RadioGroup
              cards
              label={t("kind")}
              value={value}
              onChange={set}
              options={kinds.map((one) => ({ value: one, label: t(one), help: <Hint>{t(`${one}Help`)}</Hint> }))}
            />
          )}
        </Bound>
        <KindFields kind={kind} />
        {kind !== "manual" && (
          <>
            <ZoneAndCalendars kind={kind} namespace={namespace} calendars={schedule.calendars} />
            <FiringsPreview schedule={scheduleTo(schedule)} namespace={namespace} jobKey={key} whole={whole} />
            <Bounds kind={kind} />
            <Missed />
          </>
        )}
      </div>
    </Section>
  );
}

function KindFields({ kind }: { kind: JobValues["schedule"]["kind"] }) {
  const t = useWords(whenWords);
  switch (kind) {
    case "cron":
      return <CronEditor />;
    case "every":
      return (
        <div className="grid gap-4 sm:grid-cols-2">
          <BoundText name="schedule.every" mono required label={t("period")} help={t("periodHelp")} placeholder="5m" />
          <Bound name="schedule.anchor" label={t("anchor")} help={t("anchorHelp")}>
            {(value, set) => <InstantInput value={value} onChange={set} />}
          </Bound>
        </div>
      );
    case "after":
      return (
        <BoundText name="schedule.after" mono required label={t("pause")} help={t("periodHelp")} placeholder="10m" />
      );
    case "daily":
      return (
        <BoundText
          name="schedule.daily"
          mono
          required
          label={t("window")}
          help={t("windowHelp")}
          placeholder="09:00-18:00 MON-FRI every 5m"
        />
      );
    case "once":
      return <OnceFields />;
    case "several":
      return <Members />;
    default:
      return null;
  }
}

function OnceFields() {
  const t = useWords(whenWords);
  const once = useWatch<JobValues, "schedule.once">({ name: "schedule.once" });
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <BoundSelect
        name="schedule.once"
        label={t("once")}
        options={[
          { value: "at", label: t("onceAt") },
          { value: "delay", label: t("onceDelay") },
        ]}
      />
      {once === "at" ? (
        <Bound name="schedule.at" label={t("instant")} help={viewerZone} required>
          {(value, set) => <InstantInput value={value} onChange={set} />}
        </Bound>
      ) : (
        <BoundText name="schedule.delay" mono required label={t("delay")} placeholder="10m" />
      )}
    </div>
  );
}

function ZoneAndCalendars({
  kind,
  namespace,
  calendars,
}: {
  kind: JobValues["schedule"]["kind"];
  namespace: string;
  calendars: readonly string[];
}) {
  const t = useWords(whenWords);
  const { data } = useGet("/calendars", { query: { namespace } }, { staleTime: 60_000 });
  const options = (data?.calendars ?? []).map((one) => ({
    value: one.key,
    label: one.title ? `${one.key} · ${one.title}` : one.key,
  }));
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {(hasWallTimes(kind) || calendars.length > 0) && (
        <Bound name="schedule.zone" label={t("zone")} help={t("zoneHelp")}>
          {(value, set) => <Combobox value={value} onChange={set} options={zoneOptions} free />}
        </Bound>
      )}
      <Bound name="schedule.calendars" label={t("calendars")} help={t("calendarsHelp")}>
        {(value, set) => <MultiSelect value={value} onChange={set} options={options} />}
      </Bound>
      {calendars.length > 0 && (
        <BoundSelect
          name="schedule.excluded"
          label={t("excluded")}
          options={[
            { value: "skip", label: t("skip") },
            { value: "shift", label: t("shift") },
          ]}
        />
      )}
    </div>
  );
}

function Bounds({ kind }: { kind: JobValues["schedule"]["kind"] }) {
  const t = useWords(whenWords);
  return (
    <Folded title={t("bounds")}>
      <div className="grid gap-4 sm:grid-cols-2">
        <Bound name="schedule.start" label={t("start")} help={viewerZone}>
          {(value, set) => <InstantInput value={value} onChange={set} />}
        </Bound>
        <Bound name="schedule.end" label={t("end")} help={viewerZone}>
          {(value, set) => <InstantInput value={value} onChange={set} />}
        </Bound>
        <BoundText name="schedule.count" numeric label={t("count")} help={t("countHelp")} />
        <BoundText name="schedule.jitter" mono label={t("jitter")} help={t("jitterHelp")} placeholder="5m" />
        {hasWallTimes(kind) && (
          <>
            <BoundSelect
              name="schedule.dst.gap"
              label={t("gap")}
              options={[
                { value: "fire_after", label: t("gapAfter") },
                { value: "fire_before", label: t("gapBefore") },
                { value: "skip", label: t("gapSkip") },
              ]}
            />
            <BoundSelect
              name="schedule.dst.overlap"
              label={t("overlap")}
              options={[
                { value: "first", label: t("first") },
                { value: "second", label: t("secondTime") },
                { value: "both", label: t("both") },
              ]}
            />
            <Bound name="schedule.dst.straight" label={<span className="sr-only">{t("straight")}</span>} group>
              {(value, set) => (
                <Checkbox checked={value} onChange={set}>
                  {t("straight")}
                </Checkbox>
              )}
            </Bound>
          </>
        )}
      </div>
    </Folded>
  );
}

function Missed() {
  const t = useWords(whenWords);
  const misfire = useWatch<JobValues, "misfire">({ name: "misfire" });
  return (
    <Folded title={t("missed")}>
      <Bound name="misfire" label={t("missed")} help={t("missedHelp")} group>
        {(value, set) => (
          <RadioGroup
            cards
            label={t("missed")}
            value={value}
            onChange={set}
            options={[
              { value: "skip", label: t("missSkip"), help: <Hint>{t("missSkipHelp")}</Hint> },
              { value: "fire_once", label: t("missOnce"), help: <Hint>{t("missOnceHelp")}</Hint> },
              { value: "fire_all", label: t("missAll"), help: <Hint>{t("missAllHelp")}</Hint> },
            ]}
          />
        )}
      </Bound>
      <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
        <BoundText name="misfire_limits.threshold" mono label={t("threshold")} placeholder="5s" />
        {misfire === "fire_all" && (
          <>
            <BoundText name="misfire_limits.window" mono label={t("missWindow")} placeholder="6h" />
            <BoundText name="misfire_limits.max" numeric label={t("missMax")} placeholder="100" />
            <BoundText name="misfire_limits.spacing" mono label={t("missSpacing")} placeholder="0s" />
          </>
        )}
      </div>
    </Folded>
  );
}
