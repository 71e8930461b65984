import { Plus, Trash2 } from "lucide-react";
import { useFormContext, useWatch } from "react-hook-form";
import { get } from "@/api/client";
import { useGet } from "@/api/query";
import type { Right } from "@/session/rights";
import { useSession } from "@/session/session";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Checkbox } from "@/ui/Checkbox";
import { Combobox } from "@/ui/Combobox";
import { IconButton } from "@/ui/IconButton";
import { KeyValue } from "@/ui/KeyValue";
import { MultiSelect } from "@/ui/MultiSelect";
import { Section } from "@/ui/Section";
import { Switch } from "@/ui/Switch";
import { Textarea } from "@/ui/Textarea";
import { useWords } from "@/words";
import { roleWords, sharedWords } from "@/words/shared";
import { Bound, BoundSelect, BoundText } from "./Bound";
import { Pairs } from "./Pairs";
import type { JobValues } from "./values";
import { formWords } from "./words";

/** The job's names, its group and labels. */
export function BasicsSection({ id, namespace, fixedKey }: { id: string; namespace: string; fixedKey: boolean }) {
  const t = useWords(formWords);
  const { me, may } = useSession();
  const { getValues, setValue } = useFormContext<JobValues>();
  const labels = useWatch<JobValues, "labels">({ name: "labels" });
  const groups = useGet("/groups", { query: { namespace, limit: 1000 } }, { staleTime: 60_000 });
  const options = (groups.data?.groups ?? [])
    .filter((one) => may("edit", namespace, one.key))
    .map((one) => ({ value: one.key, label: one.key, help: one.title }));
  const addOwner = () =>
    setValue("labels", [...getValues("labels"), { key: "owner", value: me.name }], { shouldDirty: true });
  return (
    <Section title={<span id={id}>{t("basics")}</span>} text={t("requiredMark")}>
      <div className="grid gap-4 sm:grid-cols-2">
        <BoundText name="key" mono required label={t("key")} help={t("keyHelp")} disabled={fixedKey} />
        <BoundText name="title" label={t("title")} help={t("titleHelp")} />
        <Bound name="group" label={t("group")} help={t("groupHelp")} required>
          {(value, set) => <Combobox free value={value} onChange={set} options={options} />}
        </Bound>
        <Bound name="description" label={t("description")} help={t("descriptionHelp")} className="sm:col-span-2">
          {(value, set) => <Textarea spellCheck value={value} onChange={(event) => set(event.target.value)} />}
        </Bound>
        <Bound name="labels" label={t("labels")} help={t("labelsHelp")} group className="sm:col-span-2">
          {(value, set) => (
            <Pairs value={value} onChange={set} add={t("addLabel")}>
              {!labels.some((label) => label.key === "owner") && (
                <Button size="small" look="quiet" onClick={addOwner}>
                  {t("addOwner")}
                </Button>
              )}
            </Pairs>
          )}
        </Bound>
      </div>
    </Section>
  );
}

const ons = ["success", "failure", "always"] as const;

/** The jobs that the end of a run starts. */
export function AfterSection({ id, namespace }: { id: string; namespace: string }) {
  const t = useWords(formWords);
  const children = useWatch<JobValues, "children">({ name: "children" });
  const { setValue } = useFormContext<JobValues>();
  const set = (next: JobValues["children"]) => setValue("children", next, { shouldDirty: true });
  const lookup = async (text: string, signal: AbortSignal) => {
    const page = await get("/jobs", { query: { namespace, text: text || undefined, limit: 50 }, signal });
    return page.jobs.map((job) => ({ value: job.key, label: job.key, help: job.title }));
  };
  return (
    <Section title={<span id={id}>{t("after")}</span>} text={t("childrenHelp")}>
      <div className="flex flex-col gap-3">
        {children.map((child, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the index identifies a child.
          <div key={at} className="grid items-start gap-3 rounded-md border p-3 sm:grid-cols-[1fr_9rem_1.5fr_auto]">
            <Bound name={`children.${at}.key`} label={t("child")} required>
              {(value, change) => (
                <Combobox free value={value} onChange={change} options={{ key: ["jobs", namespace], lookup }} />
              )}
            </Bound>
            <BoundSelect
              name={`children.${at}.on`}
              label={t("childOn")}
              options={ons.map((value) => ({ value, label: t(value) }))}
            />
            <div className="flex flex-col gap-2 sm:pt-6">
              <Checkbox
                checked={child.own}
                onChange={(own) => set(children.map((one, index) => (index === at ? { ...one, own } : one)))}
              >
                {t("childOwn")}
              </Checkbox>
              {!child.own && (
                <BoundText
                  name={`children.${at}.param`}
                  mono
                  label={t("childParam")}
                  help={t("childParamHelp", { open: "{{", close: "}}" })}
                />
              )}
            </div>
            <IconButton
              icon={Trash2}
              className="sm:mt-6"
              label={t("removeLine", { n: at + 1 })}
              onClick={() => set(children.filter((_, index) => index !== at))}
            />
          </div>
        ))}
        <Button
          size="small"
          icon={Plus}
          className="self-start"
          disabled={children.length >= 32}
          onClick={() => set([...children, { key: "", on: "success", own: true, param: "" }])}
        >
          {t("addChild")}
        </Button>
      </div>
    </Section>
  );
}

/** Failure e-mail, and retention of logs and runs. */
export function AlarmsSection({ id }: { id: string }) {
  const t = useWords(formWords);
  const off = useWatch<JobValues, "logs.off">({ name: "logs.off" });
  return (
    <Section title={<span id={id}>{t("alarms")}</span>}>
      <div className="flex flex-col gap-4">
        <Bound name="alarm_emails" label={t("emails")} help={t("emailsHelp")}>
          {(value, set) => <MultiSelect free value={value} onChange={set} options={[]} placeholder="ops@example.com" />}
        </Bound>
        <div className="grid gap-4 sm:grid-cols-2">
          <BoundText name="delivery.keep_for" mono label={t("keepFor")} help={t("serverDefault")} placeholder="720h" />
          <BoundText name="delivery.keep_runs" numeric label={t("keepRuns")} help={t("serverDefault")} />
          <Bound
            name="logs.off"
            label={<span className="sr-only">{t("logsOff")}</span>}
            group
            className="sm:col-span-2"
          >
            {(value, set) => (
              <Switch checked={value} onChange={set} help={t("logsOffHelp")}>
                {t("logsOff")}
              </Switch>
            )}
          </Bound>
          {!off && (
            <>
              <BoundText name="logs.keep_for" mono label={t("logsKeep")} help={t("serverDefault")} placeholder="168h" />
              <BoundText name="logs.max_bytes" numeric label={t("logsMax")} help={t("logsMaxHelp")} />
            </>
          )}
        </div>
      </div>
    </Section>
  );
}

const rights: Right[] = ["view", "operate", "edit", "script", "own"];

/** Where the job stands, what the user may do there, and whether it starts at once. */
export function AccessSection({ id, namespace, isNew }: { id: string; namespace: string; isNew: boolean }) {
  const t = useWords(formWords);
  const shared = useWords(sharedWords);
  const roles = useWords(roleWords);
  const { may } = useSession();
  const group = useWatch<JobValues, "group">({ name: "group" });
  return (
    <Section title={<span id={id}>{t("access")}</span>} text={t("accessText")}>
      <div className="flex flex-col gap-4">
        <KeyValue
          items={[
            [shared("namespace"), namespace],
            [shared("group"), group || "–"],
            [
              t("rights"),
              <span key="rights" className="flex flex-wrap gap-1">
                {rights
                  .filter((right) => may(right, namespace, group || undefined))
                  .map((right) => (
                    <Badge key={right}>{roles(right)}</Badge>
                  ))}
              </span>,
            ],
          ]}
        />
        {isNew && (
          <Bound name="enabled" label={<span className="sr-only">{t("enabled")}</span>} group>
            {(value, set) => (
              <Switch checked={value} onChange={set} help={t("enabledHelp")}>
                {t("enabled")}
              </Switch>
            )}
          </Bound>
        )}
      </div>
    </Section>
  );
}
