import type { ReactNode } from "react";
import { Button } from "@/ui/Button";
import { CopyButton } from "@/ui/CopyButton";
import { Dialog } from "@/ui/Dialog";
import { useWords } from "@/words";
import { userWords } from "./words";

/** A new password or token, shown once until the user confirms to have saved it. */
export function ShownOnce({
  title,
  text,
  label,
  secret,
  onClose,
  children,
}: {
  title: string;
  text: string;
  /** What the secret is, for those who do not see it. */
  label: string;
  secret: string;
  onClose: () => void;
  children?: ReactNode;
}) {
  const t = useWords(userWords);
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      text={text}
      footer={
        <Button look="main" onClick={onClose}>
          {t("understood")}
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        <div className="flex items-center gap-2 rounded-md border border-line-strong bg-sunken px-3 py-2">
          <output aria-label={label} className="min-w-0 flex-1 select-all break-all font-mono text-sm">
            {secret}
          </output>
          <CopyButton text={secret} />
        </div>
        {children}
      </div>
    </Dialog>
  );
}
