import { useGet } from "@/api/query";
import { cn } from "@/ui/cn";
import { Dialog } from "@/ui/Dialog";
import { ErrorState } from "@/ui/ErrorState";
import { SkeletonText } from "@/ui/Skeleton";
import { useWords } from "@/words";
import { jobWords } from "./words";

/** What two revisions of a job differ in. */
export function DiffDialog({
  jobKey,
  namespace,
  a,
  b,
  onClose,
}: {
  jobKey: string;
  namespace: string;
  a: number;
  b: number;
  onClose: () => void;
}) {
  const t = useWords(jobWords);
  const { data, error, refetch } = useGet("/jobs/{key}/revisions/{from}/diff/{to}", {
    path: { key: jobKey, from: a, to: b },
    query: { namespace },
  });
  return (
    <Dialog open size="large" onClose={onClose} title={t("diffTitle", { a, b })} text={data?.after.note || undefined}>
      <div className="flex flex-col gap-4 pb-3">
        {error && <ErrorState compact problem={error} onRetry={() => void refetch()} />}
        {!data && !error && <SkeletonText lines={5} />}
        {data && data.fields.length === 0 && !data.source && <p className="text-faint">{t("same")}</p>}
        {data && data.fields.length > 0 && (
          <table className="w-full text-sm">
            <thead>
              <tr className="text-left text-faint text-xs">
                <th className="border-b py-1 pr-3 font-medium">{t("field")}</th>
                <th className="border-b py-1 pr-3 font-medium">{t("before")}</th>
                <th className="border-b py-1 font-medium">{t("after")}</th>
              </tr>
            </thead>
            <tbody>
              {data.fields.map((change) => (
                <tr key={change.field}>
                  <td className="border-b py-1 pr-3 align-top font-mono text-xs">{change.field}</td>
                  <td className="border-b bg-bad-tint/50 py-1 pr-3 pl-2 align-top">
                    <Value value={change.before} />
                  </td>
                  <td className="border-b bg-good-tint/50 py-1 pl-2 align-top">
                    <Value value={change.after} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        {data?.source && (
          <section aria-label={t("codeDiff")}>
            <h3 className="mb-1 text-sm">{t("codeDiff")}</h3>
            <UnifiedDiff text={data.source} />
          </section>
        )}
      </div>
    </Dialog>
  );
}

function Value({ value }: { value: unknown }) {
  if (value === undefined) return <span className="text-faint">–</span>;
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 1);
  return <span className="line-clamp-10 whitespace-pre-wrap break-words font-mono text-xs">{text}</span>;
}

/** Lines that came, went and stayed. */
export function UnifiedDiff({ text }: { text: string }) {
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard.
      tabIndex={0}
      className="max-h-96 overflow-auto rounded-md border bg-sunken py-2 font-mono text-xs"
    >
      {text.split("\n").map((line, at) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: the index identifies a line.
          key={at}
          className={cn(
            "block min-w-fit px-3",
            line.startsWith("+") && "bg-good-tint text-good",
            line.startsWith("-") && "bg-bad-tint text-bad",
            line.startsWith("@@") && "text-faint",
          )}
        >
          {line || " "}
        </span>
      ))}
    </pre>
  );
}
