import { PageHeader } from "@/ui/PageHeader";
import type { Key } from "@/words";
import { useWords } from "@/words";
import { shellWords } from "./words";

/** The head of a page whose body is not there. */
export function placeholder(word: Key<keyof (typeof shellWords)["entries"] & string>) {
  return function Placeholder() {
    const t = useWords(shellWords);
    return <PageHeader title={t(word)} />;
  };
}
