import { useMemo, useState } from "react";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { Button } from "./Button";
import { CopyButton } from "./CopyButton";

const most = 4_000;

/** A text that may be JSON: then it is indented; else it stands as it is. Long ones are cut until asked for. */
export function JsonView({ value }: { value: unknown }) {
  const t = useWords(sharedWords);
  const [whole, setWhole] = useState(false);
  const text = useMemo(() => pretty(value), [value]);
  const cut = !whole && text.length > most;
  return (
    <div className="relative">
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard.
        tabIndex={0}
        className="max-h-96 overflow-auto whitespace-pre-wrap break-words rounded-md border bg-sunken p-3 pr-10 font-mono text-xs"
      >
        {cut ? `${text.slice(0, most)} …` : text}
      </pre>
      <span className="absolute top-1.5 right-1.5">
        <CopyButton text={text} />
      </span>
      {cut && (
        <Button size="small" look="quiet" onClick={() => setWhole(true)}>
          {t("more")}
        </Button>
      )}
    </div>
  );
}

/** The value as people read it. */
export function pretty(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value, null, 2) ?? "";
  const trimmed = value.trim();
  if (!/^[[{]/.test(trimmed)) return value;
  try {
    return JSON.stringify(JSON.parse(trimmed), null, 2);
  } catch {
    return value;
  }
}
