import type { Schema } from "@/api/types";
import { CodeBlock } from "@/ui/Code";
import { Drawer } from "@/ui/Drawer";
import { JsonView } from "@/ui/JsonView";
import { KeyValue } from "@/ui/KeyValue";
import { Time } from "@/ui/Time";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { type Change, cell, changes } from "./changes";
import { auditWords } from "./words";

type Line = Schema<"AuditLine">;

/** An audit entry with its changes, field by field. */
export function LineDrawer({ line, onClose }: { line: Line; onClose: () => void }) {
  const t = useWords(auditWords);
  const shared = useWords(sharedWords);
  const mono = (text?: string) => text && <span className="break-all font-mono text-xs">{text}</span>;
  return (
    <Drawer open wide onClose={onClose} title={t("line", { seq: line.seq })} text={line.operation}>
      <div className="flex flex-col gap-5">
        <KeyValue
          items={[
            [t("at"), <Time key="at" at={line.at} />],
            [t("actor"), line.actor === line.actor_kind ? line.actor : `${line.actor} (${line.actor_kind})`],
            [t("credential"), line.credential === "0" ? undefined : line.credential],
            [t("address"), mono(line.address)],
            [t("right"), line.right],
            [t("kind"), line.kind],
            [shared("namespace"), line.namespace],
            [shared("group"), line.group],
            [t("key"), mono(line.key)],
            [t("digest"), mono(line.digest)],
            [t("previous"), mono(line.previous)],
          ]}
        />
        <Differences line={line} />
      </div>
    </Drawer>
  );
}

function Differences({ line }: { line: Line }) {
  const t = useWords(auditWords);
  const { before, after } = line;
  if (before === undefined && after === undefined) return <p className="text-soft">{t("none")}</p>;
  const differ = before === undefined || after === undefined ? [] : changes(before, after);
  return (
    <section>
      <h3 className="mb-2 text-sm">{t("changed")}</h3>
      {before === undefined && <p className="mb-2 text-soft">{t("made")}</p>}
      {after === undefined && <p className="mb-2 text-soft">{t("gone")}</p>}
      {before !== undefined && after !== undefined && differ.length === 0 && (
        <p className="mb-2 text-soft">{t("same")}</p>
      )}
      {differ.length > 0 && <ChangeTable differ={differ} />}
      <h3 className="mt-5 mb-2 text-sm">{t("whole")}</h3>
      <JsonView value={after ?? before} />
    </section>
  );
}

function ChangeTable({ differ }: { differ: Change[] }) {
  const t = useWords(auditWords);
  return (
    <table className="w-full table-fixed border-separate border-spacing-0 rounded-md border text-sm">
      <thead>
        <tr className="text-left text-soft text-xs">
          <th scope="col" className="w-1/4 border-b bg-side px-3 py-1.5 font-medium">
            {t("field")}
          </th>
          <th scope="col" className="border-b bg-side px-3 py-1.5 font-medium">
            {t("before")}
          </th>
          <th scope="col" className="border-b bg-side px-3 py-1.5 font-medium">
            {t("after")}
          </th>
        </tr>
      </thead>
      <tbody>
        {differ.map((one) => (
          <tr key={one.path} className="align-top">
            <th scope="row" className="break-words border-b px-3 py-1.5 text-left font-mono font-normal text-xs">
              {one.path}
            </th>
            <td className="border-b bg-bad-tint px-3 py-1.5">
              <Value value={one.before} />
            </td>
            <td className="border-b bg-good-tint px-3 py-1.5">
              <Value value={one.after} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Value({ value }: { value: unknown }) {
  const text = cell(value);
  if (text.length > 400) return <CodeBlock>{text}</CodeBlock>;
  return <span className="whitespace-pre-wrap break-words font-mono text-xs">{text}</span>;
}
