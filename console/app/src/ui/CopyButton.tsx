import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { IconButton } from "./IconButton";

/** Copies a text, also on pages of plain HTTP, where browsers have no clipboard for scripts. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  area.style.position = "fixed";
  area.style.opacity = "0";
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

/** Copies the text next to it. */
export function CopyButton({ text, label }: { text: string; label?: string }) {
  const t = useWords(sharedWords);
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <IconButton
      icon={copied ? Check : Copy}
      size="small"
      label={copied ? t("copied") : (label ?? t("copy"))}
      onClick={() => void copyText(text).then(() => setCopied(true))}
    />
  );
}
