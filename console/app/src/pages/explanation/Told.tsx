import { Fragment } from "react";
import type { Schema } from "@/api/types";
import { useLanguage } from "@/words";
import { type Sentence, sentenceIn } from "./sentence";

/** What the server said, in the language of the user as far as there are words for it. */
export function Told({ said, zone }: { said: Sentence; zone: string }) {
  const [language] = useLanguage();
  const { text, lang } = sentenceIn(said, zone, language);
  return <span lang={lang === language ? undefined : lang}>{text}</span>;
}

/** The answer of an explanation, sentence by sentence. */
export function Answer({ of: { answers, zone } }: { of: Schema<"Explanation"> }) {
  return answers.map((said, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: sentences are told apart by where they stand.
    <Fragment key={at}>
      {at > 0 && " "}
      <Told said={said} zone={zone} />
    </Fragment>
  ));
}
