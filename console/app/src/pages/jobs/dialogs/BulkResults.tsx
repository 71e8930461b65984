import { CircleAlert, CircleCheck } from "lucide-react";
import type { Schema } from "@/api/types";
import { Link } from "@/ui/Link";

type Item = { key: string; run?: string; error?: Schema<"Problem"> };

/** What became of each of many, those that failed first. */
export function BulkResults({ title, items, link }: { title: string; items: readonly Item[]; link?: boolean }) {
  const sorted = [...items].sort((a, b) => Number(Boolean(b.error)) - Number(Boolean(a.error)));
  return (
    <section aria-label={title} role="status" className="rounded-md border">
      <h3 className="border-b px-3 py-2 text-sm">{title}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard. */}
      <ul tabIndex={0} className="max-h-72 overflow-y-auto py-1">
        {sorted.map((item) => {
          const Icon = item.error ? CircleAlert : CircleCheck;
          return (
            <li key={item.key} className="flex items-start gap-2 px-3 py-1">
              <Icon aria-hidden className={`mt-0.5 size-3.5 shrink-0 ${item.error ? "text-bad" : "text-good"}`} />
              <span className="min-w-0">
                {link && !item.error ? (
                  <Link to="/jobs/$id" params={{ id: item.key }} className="font-mono text-xs">
                    {item.key}
                  </Link>
                ) : (
                  <span className="font-mono text-xs">{item.key}</span>
                )}
                {item.error && (
                  <span className="block text-soft">
                    {item.error.detail}
                    {item.error.hint && <span className="block text-faint text-xs">{item.error.hint}</span>}
                  </span>
                )}
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
