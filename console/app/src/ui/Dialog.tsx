import { X } from "lucide-react";
import { Dialog as D } from "radix-ui";
import type { ReactNode } from "react";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { cn } from "./cn";

export type DialogProps = {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  /** What it is about, in one sentence. */
  text?: ReactNode;
  size?: "small" | "normal" | "large";
  /** The buttons at its foot. */
  footer?: ReactNode;
  children?: ReactNode;
};

const widths = { small: "max-w-md", normal: "max-w-xl", large: "max-w-4xl" };

/** Something to do before anything else. Esc closes it. */
export function Dialog({ open, onClose, title, text, size = "normal", footer, children }: DialogProps) {
  const t = useWords(sharedWords);
  return (
    <D.Root open={open} onOpenChange={(now) => !now && onClose()}>
      <D.Portal>
        <D.Overlay className="anim-appear fixed inset-0 z-40 bg-shade" />
        <D.Content
          className={cn(
            "anim-rise fixed inset-x-3 top-[max(0.75rem,8vh)] z-40 mx-auto flex max-h-[84vh] flex-col rounded-lg border border-line-strong bg-raised shadow-xl outline-none",
            widths[size],
          )}
          {...(text ? {} : { "aria-describedby": undefined })}
        >
          <header className="pt-4 pr-12 pb-2 pl-5">
            <D.Title className="text-base">{title}</D.Title>
            {text && <D.Description className="mt-1 text-sm text-soft">{text}</D.Description>}
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto px-5 py-2">{children}</div>
          {footer && <footer className="flex flex-wrap justify-end gap-2 px-5 pt-2 pb-4">{footer}</footer>}
          <D.Close
            aria-label={t("close")}
            className="absolute top-3 right-3 grid size-7 place-items-center rounded-md text-soft hover:bg-hover hover:text-ink"
          >
            <X aria-hidden className="size-4" />
          </D.Close>
        </D.Content>
      </D.Portal>
    </D.Root>
  );
}
