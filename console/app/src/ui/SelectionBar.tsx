import { X } from "lucide-react";
import type { ReactNode } from "react";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { IconButton } from "./IconButton";

/** What can be done with the selected rows: it floats at the foot of the page while there are some. */
export function SelectionBar({
  count,
  onClear,
  children,
}: {
  count: number;
  onClear: () => void;
  children: ReactNode;
}) {
  const t = useWords(sharedWords);
  if (count === 0) return null;
  return (
    <div
      role="toolbar"
      aria-label={t("actions")}
      className="anim-rise sticky bottom-3 z-20 mx-auto mt-3 flex w-fit max-w-full flex-wrap items-center gap-2 rounded-lg border border-line-strong bg-raised py-1.5 pr-1.5 pl-3 shadow-lg"
    >
      <span className="font-medium">{t("selected", { count })}</span>
      {children}
      <IconButton icon={X} label={t("clear")} size="small" onClick={onClear} />
    </div>
  );
}
