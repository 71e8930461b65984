import { X } from "lucide-react";
import { Dialog as D } from "radix-ui";
import type { ReactNode } from "react";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { cn } from "./cn";

export type PanelProps = {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  /** What it is about, in one sentence. */
  text?: ReactNode;
  /** The buttons at its foot. */
  footer?: ReactNode;
  children?: ReactNode;
};

/** What dialogs and drawers are made of: a sheet above the page with a title, a body and a foot. Esc closes it. */
export function Panel({
  open,
  onClose,
  title,
  text,
  footer,
  children,
  looks,
}: PanelProps & {
  /** The classes of its parts. */
  looks: { sheet: string; head: string; text: string; body: string; foot: string };
}) {
  const t = useWords(sharedWords);
  return (
    <D.Root open={open} onOpenChange={(now) => !now && onClose()}>
      <D.Portal>
        <D.Overlay className="anim-appear fixed inset-0 z-40 bg-shade" />
        <D.Content
          className={cn("fixed z-40 flex flex-col border-line-strong bg-raised shadow-xl outline-none", looks.sheet)}
          {...(text ? {} : { "aria-describedby": undefined })}
        >
          <header className={cn("pr-12 pl-5", looks.head)}>
            <D.Title className="text-base">{title}</D.Title>
            {text && <D.Description className={cn("text-sm text-soft", looks.text)}>{text}</D.Description>}
          </header>
          <div className={cn("min-h-0 flex-1 overflow-y-auto px-5", looks.body)}>{children}</div>
          {footer && <footer className={cn("flex flex-wrap justify-end gap-2 px-5", looks.foot)}>{footer}</footer>}
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
