import type { Schema } from "@/api/types";
import { useWords } from "@/words";
import { jobWords } from "./words";

/** Who saved something. */
export function AuthorName({ by }: { by: Schema<"Author"> }) {
  const t = useWords(jobWords);
  return <span>{by.name || t("server")}</span>;
}
