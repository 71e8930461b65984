import { Fragment, type ReactNode } from "react";
import { cn } from "./cn";

/** Facts about a thing. A value of undefined, null or "" is left out; give a dash to show that there is none. */
export function KeyValue({
  items,
  columns = 1,
  className,
}: {
  items: readonly (readonly [label: ReactNode, value: ReactNode])[];
  columns?: 1 | 2;
  className?: string;
}) {
  const shown = items.filter(([, value]) => value !== undefined && value !== null && value !== "");
  return (
    <dl
      className={cn(
        "grid gap-x-4 gap-y-2 text-sm",
        columns === 2
          ? "grid-cols-[minmax(6rem,auto)_1fr] lg:grid-cols-[minmax(6rem,auto)_1fr_minmax(6rem,auto)_1fr]"
          : "grid-cols-[minmax(6rem,auto)_1fr]",
        className,
      )}
    >
      {shown.map(([label, value], index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the index identifies a fact.
        <Fragment key={index}>
          <dt className="text-faint">{label}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
