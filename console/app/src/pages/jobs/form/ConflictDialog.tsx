import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { useWords } from "@/words";
import { collisions, type Json, type JsonObject } from "./mergepatch";
import { formWords } from "./words";

/** Two people saved the same job: lays what each changed side by side, and asks what shall hold. */
export function ConflictDialog({
  base,
  mine,
  theirs,
  busy,
  onKeep,
  onTake,
  onClose,
}: {
  base: JsonObject;
  mine: JsonObject;
  theirs: JsonObject;
  busy: boolean;
  /** Saves what is here over what the other one saved. */
  onKeep: () => void;
  onTake: () => void;
  onClose: () => void;
}) {
  const t = useWords(formWords);
  const found = collisions(base, mine, theirs);
  const fields = [...new Set([...found.mine, ...found.theirs].map((change) => change.field))].sort();
  const own = new Map(found.mine.map((change) => [change.field, change]));
  const other = new Map(found.theirs.map((change) => [change.field, change]));
  return (
    <Dialog
      open
      size="large"
      onClose={onClose}
      title={t("conflictTitle")}
      text={t("conflictText")}
      footer={
        <>
          <Button onClick={onTake}>{t("conflictTake")}</Button>
          <Button look="main" busy={busy} onClick={onKeep}>
            {t(found.both.length > 0 ? "conflictKeep" : "conflictMerge")}
          </Button>
        </>
      }
    >
      <table className="w-full text-sm">
        <thead>
          <tr className="text-left text-faint text-xs">
            <th className="border-b py-1 pr-3 font-medium">{t("conflictField")}</th>
            <th className="border-b py-1 pr-3 font-medium">{t("conflictBefore")}</th>
            <th className="border-b py-1 pr-3 font-medium">{t("conflictTheirs")}</th>
            <th className="border-b py-1 font-medium">{t("conflictMine")}</th>
          </tr>
        </thead>
        <tbody>
          {fields.map((field) => (
            <tr key={field} className={found.both.some((one) => one.field === field) ? "bg-warn-tint" : undefined}>
              <td className="border-b py-1 pr-3 align-top font-mono text-xs">{field}</td>
              <Value value={(own.get(field) ?? other.get(field))?.before} />
              <Value value={other.get(field)?.after} unchanged={!other.has(field)} />
              <Value value={own.get(field)?.after} unchanged={!own.has(field)} />
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  );
}

function Value({ value, unchanged }: { value: Json | undefined; unchanged?: boolean }) {
  const text = value === undefined ? "–" : typeof value === "string" ? value : JSON.stringify(value);
  return (
    <td className="max-w-64 border-b py-1 pr-3 align-top">
      {unchanged ? (
        <span className="text-faint">=</span>
      ) : (
        <span className="line-clamp-6 whitespace-pre-wrap break-words font-mono text-xs">{text}</span>
      )}
    </td>
  );
}
