import { useWords } from "@/words";
import { alarmWords } from "./words";

/** Where a definition is, or will be, for forms on pages that show all namespaces. */
export function Place({ namespace, isNew }: { namespace: string; isNew: boolean }) {
  const t = useWords(alarmWords);
  return <p className="text-soft">{t(isNew ? "madeIn" : "isIn", { namespace })}</p>;
}
