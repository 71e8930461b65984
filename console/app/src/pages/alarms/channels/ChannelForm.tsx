import { useQueryClient } from "@tanstack/react-query";
import { Send } from "lucide-react";
import { useState } from "react";
import { get, patch, post } from "@/api/client";
import { type Problem, toProblem } from "@/api/problem";
import { useGet } from "@/api/query";
import type { Schema } from "@/api/types";
import { type JsonObject, patchOf, same } from "@/pages/jobs/form/mergepatch";
import { Button } from "@/ui/Button";
import { Drawer } from "@/ui/Drawer";
import { ErrorState } from "@/ui/ErrorState";
import { Field } from "@/ui/Field";
import { Input } from "@/ui/Input";
import { Adopted, LostRace } from "@/ui/LostRace";
import { Select } from "@/ui/Select";
import { SkeletonText } from "@/ui/Skeleton";
import { Switch } from "@/ui/Switch";
import { useToast } from "@/ui/Toast";
import { useEdit } from "@/ui/useEdit";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { Part } from "../Part";
import { Place } from "../Place";
import { errorAt, leftOver, lostRace } from "../refusal";
import type { Making } from "../useMaking";
import { alarmWords } from "../words";
import { bodyOf, type Channel, type ChannelValues, channelKinds, secretsPatch, valuesOf } from "./channel";
import { SettingFields } from "./SettingFields";
import { TemplateFields } from "./TemplateFields";
import { TrialResult } from "./TrialResult";
import { channelWords } from "./words";

const inputs = ["key", "title", "kind", "language", "per_minute", "default", "settings", "secrets", "template"];

/** Makes a channel, or changes one. */
export function ChannelForm({
  channel,
  namespace,
  places,
  making,
  readOnly,
  onClose,
}: {
  channel?: Channel;
  namespace: string;
  /** Whether the page shows all namespaces: then the form says which is its own. */
  places: boolean;
  /** Where a new one can be made. */
  making: Making;
  readOnly: boolean;
  onClose: () => void;
}) {
  const t = useWords(channelWords);
  const a = useWords(alarmWords);
  const shared = useWords(sharedWords);
  const toast = useToast();
  const queries = useQueryClient();
  const edit = useEdit<ChannelValues>(() => valuesOf(channel), channel?.version ?? 0);
  const { values, first } = edit;
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState<"save" | "test" | null>(null);
  const [trial, setTrial] = useState<Schema<"AlarmTrial"> | null>(null);
  const known = useGet("/alarm/channel-kinds", {}, { staleTime: 600_000 });
  const fields = known.data?.kinds.find((one) => one.kind === values.kind)?.fields ?? [];
  const set = (part: Partial<ChannelValues>) => {
    setTrial(null);
    edit.set(part);
  };
  const body = bodyOf(values, fields);
  const before = bodyOf(first, fields);
  const secrets = secretsPatch(values, fields);
  const changed = !same(before as unknown as JsonObject, body as unknown as JsonObject) || secrets !== undefined;
  const act = async (what: "save" | "test", deed: () => Promise<void>) => {
    setBusy(what);
    setProblem(null);
    try {
      await deed();
    } catch (error) {
      setProblem(toProblem(error));
    } finally {
      setBusy(null);
    }
  };
  const save = () =>
    act("save", async () => {
      if (!channel) await post("/alarm/channels", { query: { namespace }, body });
      else {
        const { secrets: _, ...was } = before;
        const { secrets: __, ...is } = body;
        const change = patchOf(was as unknown as JsonObject, is as unknown as JsonObject);
        await patch("/alarm/channels/{key}", {
          path: { key: channel.key },
          query: { namespace },
          body: { ...change, ...(secrets ? { secrets } : {}), version: Number(edit.version) } as never,
        });
      }
      toast.done(a("didSave", { key: body.key }));
      await queries.invalidateQueries({ queryKey: ["/alarm/channels"] });
      onClose();
    });
  const test = () =>
    act("test", async () => {
      setTrial(null);
      const answer = channel
        ? await post("/alarm/channels/{key}/test", { path: { key: channel.key }, query: { namespace } })
        : await post("/alarm/channel-test", { query: { namespace }, body: { ...body, key: body.key || "test" } });
      setTrial(answer);
    });
  const adopt = async () => {
    const now = await get("/alarm/channels/{key}", { path: { key: values.key }, query: { namespace } });
    edit.adopt(valuesOf(now), now.version);
    setProblem(null);
    void queries.invalidateQueries({ queryKey: ["/alarm/channels"] });
  };
  const lost = Boolean(channel) && lostRace(problem);
  const rest = leftOver(problem, inputs);
  return (
    <Drawer
      open
      wide
      onClose={onClose}
      title={channel ? t("editTitle", { key: channel.key }) : t("newChannel")}
      text={t("formText")}
      footer={
        <>
          {!readOnly && (
            <Button
              icon={Send}
              className="mr-auto"
              busy={busy === "test"}
              reason={channel && changed ? t("testSaved") : undefined}
              onClick={() => void test()}
            >
              {t("test")}
            </Button>
          )}
          <Button onClick={onClose}>{readOnly ? shared("close") : shared("cancel")}</Button>
          {!readOnly && (
            <Button look="main" busy={busy === "save"} onClick={() => void save()}>
              {channel ? shared("save") : shared("create")}
            </Button>
          )}
        </>
      }
    >
      <form
        className="flex flex-col gap-6"
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy && !readOnly) void save();
        }}
      >
        <fieldset disabled={readOnly} className="contents">
          {places && <Place namespace={namespace} making={channel ? undefined : making} />}
          <Names {...{ values, set, problem }} isNew={!channel} />
          <Part title={t("settings")} text={channel && fields.some((one) => one.place) ? t("placeHelp") : undefined}>
            {known.data ? (
              <SettingFields {...{ values, set, problem, fields }} kept={channel?.secrets ?? []} />
            ) : (
              <SkeletonText lines={6} />
            )}
          </Part>
          <TemplateFields {...{ values, set, problem }} />
          <button type="submit" className="hidden" tabIndex={-1} aria-hidden />
        </fieldset>
        {trial && <TrialResult trial={trial} />}
        {known.error && <ErrorState compact problem={known.error} onRetry={() => void known.refetch()} />}
        {!problem && <Adopted both={edit.both} />}
        {problem && lost && <LostRace problem={problem} load={adopt} />}
        {rest && !lost && <ErrorState compact problem={rest} />}
      </form>
    </Drawer>
  );
}

function Names({
  values,
  set,
  problem,
  isNew,
}: {
  values: ChannelValues;
  set: (part: Partial<ChannelValues>) => void;
  problem: Problem | null;
  isNew: boolean;
}) {
  const t = useWords(channelWords);
  const a = useWords(alarmWords);
  const shared = useWords(sharedWords);
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Field label={a("kind")} error={errorAt(problem, "kind")}>
        <Select
          value={values.kind}
          disabled={!isNew}
          onChange={(kind) => set({ kind, settings: {}, secrets: {} })}
          options={channelKinds.map((value) => ({ value, label: t(value) }))}
        />
      </Field>
      <Field label={shared("key")} required help={isNew ? a("keyHelp") : undefined} error={errorAt(problem, "key")}>
        <Input mono value={values.key} disabled={!isNew} onChange={(event) => set({ key: event.target.value })} />
      </Field>
      <Field label={shared("title")} error={errorAt(problem, "title")}>
        <Input value={values.title} maxLength={200} onChange={(event) => set({ title: event.target.value })} />
      </Field>
      <Field label={t("language")} error={errorAt(problem, "language")}>
        <Select
          value={values.language}
          onChange={(language) => set({ language })}
          options={[
            { value: "en", label: "English" },
            { value: "zh", label: "中文" },
          ]}
        />
      </Field>
      <Field label={t("perMinute")} help={t("perMinuteHelp")} error={errorAt(problem, "per_minute")}>
        <Input
          inputMode="numeric"
          placeholder="20"
          value={values.perMinute}
          onChange={(event) => set({ perMinute: event.target.value.trim() })}
        />
      </Field>
      <div className="flex flex-col justify-center gap-2">
        <Switch checked={values.enabled} onChange={(enabled) => set({ enabled })}>
          {a("enabled")}
        </Switch>
        {values.kind === "email" && (
          <Field label={<span className="sr-only">{t("default")}</span>} group error={errorAt(problem, "default")}>
            <Switch checked={values.isDefault} onChange={(isDefault) => set({ isDefault })} help={t("defaultHelp")}>
              {t("default")}
            </Switch>
          </Field>
        )}
      </div>
    </div>
  );
}
