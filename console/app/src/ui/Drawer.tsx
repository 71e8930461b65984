import { X } from "lucide-react";
import { Dialog as D } from "radix-ui";
import type { ReactNode } from "react";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { cn } from "./cn";

/** A page beside the page: what is looked at or edited while the list stays in sight. */
export function Drawer({
  open,
  onClose,
  title,
  text,
  wide,
  footer,
  children,
}: {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  text?: ReactNode;
  wide?: boolean;
  footer?: ReactNode;
  children?: ReactNode;
}) {
  const t = useWords(sharedWords);
  return (
    <D.Root open={open} onOpenChange={(now) => !now && onClose()}>
      <D.Portal>
        <D.Overlay className="anim-appear fixed inset-0 z-40 bg-shade" />
        <D.Content
          className={cn(
            "anim-slide fixed inset-y-0 right-0 z-40 flex w-full flex-col border-line-strong border-l bg-raised shadow-xl outline-none",
            wide ? "sm:max-w-4xl" : "sm:max-w-lg",
          )}
          {...(text ? {} : { "aria-describedby": undefined })}
        >
          <header className="border-b py-3 pr-12 pl-5">
            <D.Title className="text-base">{title}</D.Title>
            {text && <D.Description className="mt-0.5 text-sm text-soft">{text}</D.Description>}
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto px-5 py-4">{children}</div>
          {footer && <footer className="flex flex-wrap justify-end gap-2 border-t px-5 py-3">{footer}</footer>}
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
