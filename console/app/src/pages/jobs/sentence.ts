import type { Language } from "@/words";

/** The languages in which the server describes schedules. */
export function sentenceLanguage(language: Language): "en" | "zh" {
  return language === "en" ? "en" : "zh";
}

// The signs of the server's Chinese sentences that are written otherwise in 繁體.
const hans = "个为从仅则历发启动后单处时显每点结终触计许运进还钟间顺开长带离级内划务节调区备应变为岁闰种标准临两过满";
const hant = "個為從僅則歷發啟動後單處時顯每點結終觸計許運進還鐘間順開長帶離級內劃務節調區備應變為歲閏種標準臨兩過滿";
const signs = new Map([...hans].map((sign, at) => [sign, [...hant][at] ?? sign]));

/** A sentence of the server in the language of the user: its Chinese is 简体. */
export function sentenceText(sentence: string, language: Language): string {
  if (language !== "zh-TW") return sentence;
  return [...sentence].map((sign) => signs.get(sign) ?? sign).join("");
}
