import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";

/** Returns what is wrong with a required value: nothing once there is one. */
export function useNeeded(): (value: string | readonly unknown[] | undefined) => string | undefined {
  const t = useWords(sharedWords);
  return (value) => ((typeof value === "string" ? value.trim() : value)?.length ? undefined : t("required"));
}
