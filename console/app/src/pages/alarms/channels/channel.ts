import type { Schema } from "@/api/types";

export type Channel = Schema<"AlarmChannel">;
export type ChannelBody = Schema<"NewAlarmChannel">;
export type Setting = Schema<"AlarmField">;

/** The kinds of channels. */
export const channelKinds = [
  "email",
  "webhook",
  "dingtalk",
  "feishu",
  "wecom",
  "slack",
  "pagerduty",
] as const satisfies readonly Channel["kind"][];

/** Settings that are one of a few words. The server knows them; "" is what it does by itself. */
export const choices: Record<string, readonly string[]> = {
  tls: ["starttls", "tls", "none"],
  auth: ["none", "plain", "login", "cram"],
  method: ["POST", "PUT", "PATCH"],
};

/** Settings that have lines. */
export const lined: readonly string[] = ["headers", "body", "ca"];

/** The name of a setting in the API. */
export const settingName = ({ name, secret }: Setting): string => `${secret ? "secrets" : "settings"}.${name}`;

/** A channel as the form has it. */
export type ChannelValues = {
  key: string;
  title: string;
  kind: Channel["kind"];
  enabled: boolean;
  isDefault: boolean;
  language: "en" | "zh";
  perMinute: string;
  settings: Record<string, string>;
  /** What was typed; what is absent stays as it is. */
  secrets: Record<string, string>;
  /** The names of secrets that are taken away. */
  dropped: string[];
  templateTitle: string;
  templateText: string;
};

/** What a form begins with. */
export function valuesOf(channel?: Channel): ChannelValues {
  return {
    key: channel?.key ?? "",
    title: channel?.title ?? "",
    kind: channel?.kind ?? "webhook",
    enabled: channel?.enabled ?? true,
    isDefault: Boolean(channel?.default),
    language: channel?.language ?? "en",
    perMinute: String(channel?.per_minute ?? ""),
    settings: { ...channel?.settings },
    secrets: {},
    dropped: [],
    templateTitle: channel?.template?.title ?? "",
    templateText: channel?.template?.text ?? "",
  };
}

const named = (all: Record<string, string>, fields: readonly Setting[], secret: boolean) =>
  Object.fromEntries(
    fields
      .filter((field) => field.secret === secret && (all[field.name] ?? "").trim() !== "")
      .map((field) => [field.name, lined.includes(field.name) ? all[field.name] : all[field.name]?.trim()]),
  ) as Record<string, string>;

/** The channel of a form, as the API takes a new one: without the settings that its kind does not have. */
export function bodyOf(values: ChannelValues, fields: readonly Setting[]): ChannelBody {
  const settings = named(values.settings, fields, false);
  const secrets = named(values.secrets, fields, true);
  const perMinute = values.perMinute.trim();
  const count = Number(perMinute);
  const template = {
    ...(values.templateTitle.trim() ? { title: values.templateTitle } : {}),
    ...(values.templateText.trim() ? { text: values.templateText } : {}),
  };
  return {
    key: values.key.trim(),
    kind: values.kind,
    enabled: values.enabled,
    language: values.language,
    ...(values.title.trim() ? { title: values.title.trim() } : {}),
    ...(values.isDefault && values.kind === "email" ? { default: true } : {}),
    ...(perMinute ? { per_minute: Number.isFinite(count) ? count : (perMinute as never) } : {}),
    ...(Object.keys(settings).length > 0 ? { settings } : {}),
    ...(Object.keys(secrets).length > 0 ? { secrets } : {}),
    ...(Object.keys(template).length > 0 ? { template } : {}),
  };
}

/** The secrets in a patch: new values, null for removed ones; undefined if unchanged. */
export function secretsPatch(
  values: ChannelValues,
  fields: readonly Setting[],
): Record<string, string | null> | undefined {
  const typed = named(values.secrets, fields, true);
  const dropped = values.dropped.filter((name) => typed[name] === undefined);
  const all = { ...typed, ...Object.fromEntries(dropped.map((name) => [name, null])) };
  return Object.keys(all).length > 0 ? all : undefined;
}

/** How a channel does, by what it last carried. */
export function healthOf(channel: Channel): "unused" | "works" | "fails" {
  if (channel.failures) return "fails";
  return channel.ok_at ? "works" : "unused";
}
