import type { Translate } from "@/words";
import { shortTime } from "../time";
import type { Kind, Rule } from "./rule";
import { usual } from "./rule";
import type { ruleWords } from "./words";

type Words = Translate<keyof (typeof ruleWords)["entries"] & string>;
type Told = Pick<Rule, "kinds" | "channels"> & Partial<Rule>;

function deed(rule: Told, kind: Kind, t: Words): string {
  const or = (name: "count" | "percent" | "window" | "within" | "for") =>
    shortTime(String(rule[name] || usual(name, [kind])));
  switch (kind) {
    case "streak":
      return t("s_streak", { n: or("count") });
    case "backlog":
      return t("s_backlog", { n: or("count"), for: or("for") });
    case "group_down":
      return t("s_group_down", { for: or("for") });
    case "failure_rate":
      return t("s_failure_rate", { percent: or("percent"), window: or("window") });
    case "not_started":
      return t("s_not_started", { within: or("within") });
    case "slow":
      return [
        rule.longer ? t("s_slow_longer", { longer: shortTime(rule.longer) }) : "",
        rule.factor || !rule.longer ? t("s_slow_factor", { factor: rule.factor || "…" }) : "",
      ]
        .filter(Boolean)
        .join(" / ");
    default:
      return t(`s_${kind}`);
  }
}

/** Describes a rule in a sentence. */
export function sentenceOf(rule: Told, t: Words, language: string): string {
  const and = (list: readonly string[]) => new Intl.ListFormat(language, { type: "conjunction" }).format(list);
  const or = (list: readonly string[]) => new Intl.ListFormat(language, { type: "disjunction" }).format(list);
  const who = (channels: readonly string[]) => (channels.length > 0 ? and(channels) : t("s_nobody"));
  const scope = rule.scope ?? {};
  const labels = Object.entries(scope.labels ?? {}).map(([name, value]) => `${name}=${value}`);
  const where = [
    scope.jobs?.length ? t("s_jobs", { list: or(scope.jobs) }) : "",
    scope.groups?.length ? t("s_groups", { list: or(scope.groups) }) : "",
    labels.length ? t("s_labels", { list: and(labels) }) : "",
  ].filter(Boolean);
  const what = or(rule.kinds.map((kind) => deed(rule, kind, t)));
  const said = { what, who: who(rule.channels), where: where.join(" · ") };
  return [
    t(where.length > 0 ? "s_in" : "s_any", said),
    rule.recovered ? t("s_recovered") : "",
    ...(rule.escalation ?? []).map((step) => t("s_step", { after: shortTime(step.after), who: who(step.channels) })),
  ]
    .filter(Boolean)
    .join(language === "en" ? " " : "");
}
