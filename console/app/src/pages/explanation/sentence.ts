import type { Schema } from "@/api/types";
import { sentenceText } from "@/pages/jobs/sentence";
import { absolute, offset, parseDuration } from "@/ui/format";
import { type Language, textIn } from "@/words";
import { causeWords, stateWords } from "@/words/shared";
import { reasonIn } from "./reason";
import { sentences } from "./sentences";
import { valueWords } from "./words";

export type Sentence = Schema<"Sentence">;

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const reasons = new Set(["reason", "why"]);
const durations = new Set(["ago", "by", "delay", "for", "lasted", "late", "took", "wait"]);
const states = new Set(["end", "parent_end", "state"]);

/** A duration of the API in Chinese, to the precision that people want: 1 分 30 秒. */
export function lasting(text: string, language: Language): string {
  const total = parseDuration(text);
  if (Number.isNaN(total)) return text;
  const ms = Math.abs(total);
  const unit = (count: number, name: "day" | "hour" | "minute" | "second" | "milli") =>
    count > 0 ? [`${count} ${textIn(valueWords, language, name)}`] : [];
  const sign = total < 0 ? "-" : "";
  if (ms < 1_000) return `${sign}${Math.round(ms)} ${textIn(valueWords, language, "milli")}`;
  if (ms < 60_000) return sign + unit(Math.round(ms / 100) / 10, "second")[0];
  const s = Math.round(ms / 1_000);
  if (s >= 172_800) return sign + unit(Math.round(s / 86_400), "day")[0];
  const parts = [
    ...unit(Math.floor(s / 3_600), "hour"),
    ...unit(Math.floor(s / 60) % 60, "minute"),
    ...unit(s % 60, "second"),
  ];
  return sign + parts.join(" ");
}

/** An instant of the API where `zone` is; nothing for what is none. */
export function moment(text: string, zone: string): string | undefined {
  if (!instant.test(text)) return undefined;
  const at = Date.parse(text);
  return `${absolute(at, zone)} ${offset(at, zone)}`;
}

function shown(name: string, value: string, zone: string, language: Language): string {
  const at = moment(value, zone);
  if (at) return at;
  if (reasons.has(name)) return reasonIn(value, zone, language).text;
  if (durations.has(name)) return lasting(value, language);
  if (states.has(name)) return textIn(stateWords, language, value as never);
  if (name === "cause") return textIn(causeWords, language, value as never);
  const choice = `${name}_${value}`;
  return Object.hasOwn(valueWords.entries, choice) ? textIn(valueWords, language, choice as never) : value;
}

/** The zone of an explanation, as far as this browser knows it. */
function known(zone: string): string {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return zone;
  } catch {
    return "UTC";
  }
}

/**
 * What the server said, in the language of the user: in Chinese by its code, and in the server's English when the
 * code has no Chinese. `zone` is where its times are shown.
 */
export function sentenceIn(said: Sentence, zone: string, language: Language): { text: string; lang: Language } {
  const own = Object.hasOwn(sentences, said.code) ? sentences[said.code] : undefined;
  if (language === "en" || !own) return { text: said.text, lang: "en" };
  const values = said.values ?? {};
  const place = known(zone);
  const fill = (name: string): string => {
    const chinese = values[`${name}_zh`];
    if (chinese) return sentenceText(chinese, language);
    return values[name] ? shown(name, values[name], place, language) : "";
  };
  const template = language === "zh-TW" ? own[1] : own[0];
  // Both at once, so that brackets and braces of values stay what they are.
  const text = template.replace(/\[([^\]]*)\]|\{(\w+)\}/g, (_, part: string | undefined, name: string) => {
    if (part === undefined) return fill(name);
    const gaps = [...part.matchAll(/\{(\w+)\}/g)].map(([, gap]) => fill(gap ?? ""));
    if (gaps.some((gap) => gap === "")) return "";
    return part.replace(/\{\w+\}/g, () => gaps.shift() ?? "");
  });
  return { text, lang: language };
}
