import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { CopyButton } from "./CopyButton";

/** Nothing is here yet: what it would be, how one makes it, and the command that does it from a shell. */
export function Empty({
  icon: Icon,
  title,
  children,
  action,
  command,
}: {
  icon?: LucideIcon;
  title: ReactNode;
  children?: ReactNode;
  action?: ReactNode;
  /** A command line to copy. */
  command?: string;
}) {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-12 text-center">
      {Icon && <Icon aria-hidden className="mb-1 size-6 text-faint" strokeWidth={1.5} />}
      <h3 className="text-base">{title}</h3>
      {children && <div className="max-w-prose text-pretty text-soft">{children}</div>}
      {action && <div className="mt-2 flex flex-wrap justify-center gap-2">{action}</div>}
      {command && (
        <div className="mt-3 flex max-w-full items-center gap-1 rounded-md border bg-sunken py-0.5 pr-0.5 pl-3">
          <code className="overflow-x-auto whitespace-nowrap font-mono text-xs">{command}</code>
          <CopyButton text={command} />
        </div>
      )}
    </div>
  );
}
