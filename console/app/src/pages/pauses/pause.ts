import type { Job, Schema } from "@/api/types";
import { shortTime } from "../alarms/time";

export type Pause = Schema<"Pause">;
export type PauseBody = Schema<"NewPause">;
export type What = "everything" | "namespace" | "groups";
export type When = "now" | "span" | "window";

/** A pause as the form has it: instants as the API has them, "" for none. */
export type PauseValues = {
  key: string;
  reason: string;
  what: What;
  /** "" is all of them, for groups. */
  namespace: string;
  groups: string[];
  when: When;
  from: string;
  until: string;
  cron: string;
  zone: string;
  length: string;
};

/** What the address bar fills in. */
export type Given = { from?: string; until?: string; group?: string };

/** An instant of the address bar as the API has it; "" for what is none. */
export function instantOf(text: string | undefined): string {
  const ms = Date.parse(text ?? "");
  return Number.isFinite(ms) ? new Date(ms).toISOString() : "";
}

/** A key that is hardly taken: pause-20260501-1000, by the clock of UTC. */
export function freshKey(now: number): string {
  const [day = "", time = ""] = new Date(now).toISOString().split("T");
  return `pause-${day.replaceAll("-", "")}-${time.slice(0, 5).replace(":", "")}`;
}

/** What a form for a new pause begins with. */
export function newValues(given: Given, namespace: string, zone: string, now: number): PauseValues {
  const from = instantOf(given.from);
  const until = instantOf(given.until);
  return {
    key: freshKey(now),
    reason: "",
    what: given.group ? "groups" : "namespace",
    namespace,
    groups: given.group ? [given.group] : [],
    when: from || until ? "span" : "now",
    from,
    until,
    cron: "",
    zone,
    length: "3h",
  };
}

/** What a form for a pause that exists begins with. */
export function valuesOf(pause: Pause, zone: string): PauseValues {
  const { window } = pause;
  return {
    key: pause.key,
    reason: pause.reason ?? "",
    what: pause.groups?.length ? "groups" : pause.namespace ? "namespace" : "everything",
    namespace: pause.namespace ?? "",
    groups: pause.groups ?? [],
    when: window ? "window" : "span",
    from: pause.from,
    until: pause.until ?? "",
    cron: window?.cron ?? "",
    zone: window ? (window.zone ?? "UTC") : zone,
    length: shortTime(window?.for ?? "3h"),
  };
}

/** The pause of a form, as the API takes it. */
export function bodyOf(values: PauseValues): PauseBody {
  const { what, when } = values;
  return {
    ...(values.reason.trim() ? { reason: values.reason.trim() } : {}),
    ...(what !== "everything" && values.namespace ? { namespace: values.namespace } : {}),
    ...(what === "groups" ? { groups: values.groups } : {}),
    ...(when !== "now" && values.from ? { from: values.from } : {}),
    ...(when !== "now" && values.until ? { until: values.until } : {}),
    ...(when === "window"
      ? {
          window: {
            cron: values.cron.trim(),
            for: values.length.trim(),
            ...(values.zone ? { zone: values.zone } : {}),
          },
        }
      : {}),
  };
}

/** Whether a pause is about a job, at whatever time. */
export function isAbout(
  pause: Pick<PauseBody, "namespace" | "groups">,
  job: Pick<Job, "namespace" | "group">,
): boolean {
  if (pause.namespace && pause.namespace !== job.namespace) return false;
  return !pause.groups?.length || pause.groups.includes(job.group);
}

/** Whether a job fires by itself: what has no schedule, or is stopped, is not held. */
export function firesItself(job: Pick<Job, "enabled" | "schedule">): boolean {
  return job.enabled && (job.schedule?.kind ?? "manual") !== "manual";
}

/** How a pause stands: it holds jobs back, it will, or it never will again. */
export function standing(pause: Pause): "active" | "coming" | "over" {
  if (pause.active) return "active";
  return pause.begins_at ? "coming" : "over";
}

/** The scopes in which the user needs the right to edit: "*" is all of them. */
export function placesOf(pause: Pick<PauseBody, "namespace" | "groups">): [namespace: string, group: string][] {
  const namespace = pause.namespace || "*";
  if (!pause.groups?.length || !pause.namespace) return [[namespace, "*"]];
  return pause.groups.map((group) => [namespace, group]);
}
