import { useQueryClient } from "@tanstack/react-query";
import { Send } from "lucide-react";
import { useState } from "react";
import { get, patch, post } from "@/api/client";
import { useGet } from "@/api/query";
import type { Schema } from "@/api/types";
import { type JsonObject, patchOf, same } from "@/pages/jobs/form/mergepatch";
import { Button } from "@/ui/Button";
import { ConflictNotice, MergedNotice } from "@/ui/ConflictNotice";
import { Drawer } from "@/ui/Drawer";
import { ErrorState } from "@/ui/ErrorState";
import { Field } from "@/ui/Field";
import { isConflict } from "@/ui/form/conflict";
import { Form, Submit } from "@/ui/form/Form";
import { useForm } from "@/ui/form/useForm";
import { useNeeded } from "@/ui/form/useNeeded";
import { Input } from "@/ui/Input";
import { Select } from "@/ui/Select";
import { SkeletonText } from "@/ui/Skeleton";
import { Switch } from "@/ui/Switch";
import { useToast } from "@/ui/Toast";
import { useEdit } from "@/ui/useEdit";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { NamespaceField } from "../NamespaceField";
import { Part } from "../Part";
import type { Creation } from "../useCreation";
import { alarmWords } from "../words";
import {
  bodyOf,
  type Channel,
  type ChannelValues,
  channelKinds,
  type Setting,
  secretsPatch,
  settingName,
  valuesOf,
} from "./channel";
import { SettingFields } from "./SettingFields";
import { TemplateFields } from "./TemplateFields";
import { TrialResult } from "./TrialResult";
import { channelWords } from "./words";

const own = ["key", "title", "kind", "language"];

/** Names of the API under which a refusal may name a setting, or a template's text, alone. */
function namesOf(fields: readonly Setting[]): Record<string, string> {
  const settings = fields.filter((field) => !own.includes(field.name)).map((field) => [field.name, settingName(field)]);
  return { text: "template.text", ...Object.fromEntries(settings) };
}

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
  /** Whether the page shows all namespaces: then the form shows its namespace. */
  places: boolean;
  /** Where a new one can be made. */
  making: Creation;
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
  const [testing, setTesting] = useState(false);
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
  const needed = useNeeded();
  const missing = (field: Setting) => {
    const value = (field.secret ? values.secrets[field.name] : values.settings[field.name]) ?? "";
    return field.needed && !channel?.secrets?.includes(field.name) ? needed(value) : undefined;
  };
  const form = useForm({
    faults: {
      key: needed(values.key),
      ...Object.fromEntries(fields.map((field) => [settingName(field), missing(field)])),
    },
    names: namesOf(fields),
  });
  const save = () =>
    form.send(async () => {
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
  const test = async () => {
    setTesting(true);
    setTrial(null);
    form.clear();
    try {
      setTrial(
        channel
          ? await post("/alarm/channels/{key}/test", { path: { key: channel.key }, query: { namespace } })
          : await post("/alarm/channel-test", { query: { namespace }, body: { ...body, key: body.key || "test" } }),
      );
    } catch (error) {
      form.fail(error);
    } finally {
      setTesting(false);
    }
  };
  const adopt = async () => {
    const now = await get("/alarm/channels/{key}", { path: { key: values.key }, query: { namespace } });
    edit.adopt(valuesOf(now), now.version);
    form.clear();
    void queries.invalidateQueries({ queryKey: ["/alarm/channels"] });
  };
  const { problem } = form;
  const lost = channel && problem && isConflict(problem) && <ConflictNotice problem={problem} load={adopt} />;
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
              busy={testing}
              reason={channel && changed ? t("testSaved") : undefined}
              onClick={() => void test()}
            >
              {t("test")}
            </Button>
          )}
          <Button onClick={onClose}>{readOnly ? shared("close") : shared("cancel")}</Button>
          {!readOnly && <Submit form={form}>{channel ? shared("save") : shared("create")}</Submit>}
        </>
      }
    >
      <Form form={form} onSubmit={() => !readOnly && void save()} instead={lost} className="flex flex-col gap-6">
        <fieldset disabled={readOnly} className="contents">
          {places && <NamespaceField namespace={namespace} making={channel ? undefined : making} />}
          <Names {...{ values, set }} isNew={!channel} />
          <Part title={t("settings")} text={channel && fields.some((one) => one.place) ? t("placeHelp") : undefined}>
            {known.data ? (
              <SettingFields {...{ values, set, fields }} kept={channel?.secrets ?? []} />
            ) : (
              <SkeletonText lines={6} />
            )}
          </Part>
          <TemplateFields {...{ values, set }} />
        </fieldset>
        {trial && <TrialResult trial={trial} />}
        {known.error && <ErrorState compact problem={known.error} onRetry={() => void known.refetch()} />}
        {!problem && <MergedNotice both={edit.both} />}
      </Form>
    </Drawer>
  );
}

function Names({
  values,
  set,
  isNew,
}: {
  values: ChannelValues;
  set: (part: Partial<ChannelValues>) => void;
  isNew: boolean;
}) {
  const t = useWords(channelWords);
  const a = useWords(alarmWords);
  const shared = useWords(sharedWords);
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Field name="kind" label={a("kind")}>
        <Select
          value={values.kind}
          disabled={!isNew}
          onChange={(kind) => set({ kind, settings: {}, secrets: {} })}
          options={channelKinds.map((value) => ({ value, label: t(value) }))}
        />
      </Field>
      <Field name="key" label={shared("key")} required help={isNew ? a("keyHelp") : undefined}>
        <Input mono value={values.key} disabled={!isNew} onChange={(event) => set({ key: event.target.value })} />
      </Field>
      <Field name="title" label={shared("title")}>
        <Input value={values.title} maxLength={200} onChange={(event) => set({ title: event.target.value })} />
      </Field>
      <Field name="language" label={t("language")}>
        <Select
          value={values.language}
          onChange={(language) => set({ language })}
          options={[
            { value: "en", label: "English" },
            { value: "zh", label: "中文" },
          ]}
        />
      </Field>
      <Field name="per_minute" label={t("perMinute")} help={t("perMinuteHelp")}>
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
          <Field name="default" label={<span className="sr-only">{t("default")}</span>} group>
            <Switch checked={values.isDefault} onChange={(isDefault) => set({ isDefault })} help={t("defaultHelp")}>
              {t("default")}
            </Switch>
          </Field>
        )}
      </div>
    </div>
  );
}
