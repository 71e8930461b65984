import { Fragment } from "react";
import type { Schema } from "@/api/types";
import { useLanguage } from "@/words";
import { type Sentence, sentenceIn } from "./sentence";

/** A server text, translated if a translation exists. */
export function SentenceText({ said, zone }: { said: Sentence; zone: string }) {
  const [language] = useLanguage();
  const { text, lang } = sentenceIn(said, zone, language);
  return <span lang={lang === language ? undefined : lang}>{text}</span>;
}

/** The answer of an explanation, sentence by sentence. */
export function Answer({ of: { answers, zone } }: { of: Schema<"Explanation"> }) {
  return answers.map((said, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the index identifies a sentence.
    <Fragment key={at}>
      {at > 0 && " "}
      <SentenceText said={said} zone={zone} />
    </Fragment>
  ));
}
