import { Tabs as T } from "radix-ui";
import type { ReactNode } from "react";

export type Tab<V extends string> = { value: V; label: ReactNode; count?: number; content?: ReactNode };

/** Views of one thing. The page keeps the chosen one in the address bar. */
export function Tabs<V extends string>({
  value,
  onChange,
  tabs,
  label,
}: {
  value: V;
  onChange: (value: V) => void;
  tabs: readonly Tab<V>[];
  label?: string;
}) {
  return (
    <T.Root value={value} onValueChange={(chosen) => onChange(chosen as V)} className="flex min-w-0 flex-col">
      <T.List aria-label={label} className="flex gap-4 overflow-x-auto border-b px-px">
        {tabs.map((tab) => (
          <T.Trigger
            key={tab.value}
            value={tab.value}
            className="-mb-px whitespace-nowrap border-transparent focus-visible:-outline-offset-2 border-b-2 py-2 font-medium text-sm text-soft hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"
          >
            {tab.label}
            {tab.count !== undefined && (
              <span className="ml-1.5 rounded-full bg-sunken px-1.5 text-faint text-xs">{tab.count}</span>
            )}
          </T.Trigger>
        ))}
      </T.List>
      {tabs.map((tab) => (
        <T.Content key={tab.value} value={tab.value} className="min-w-0 pt-4 outline-none">
          {tab.content}
        </T.Content>
      ))}
    </T.Root>
  );
}
