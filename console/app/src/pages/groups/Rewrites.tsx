import { useQueryClient } from "@tanstack/react-query";
import { ArrowUp, Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { put } from "@/api/client";
import { useGet } from "@/api/query";
import type { Schema } from "@/api/types";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { ErrorState } from "@/ui/ErrorState";
import { Field } from "@/ui/Field";
import { Form, Submit } from "@/ui/form/Form";
import { useForm } from "@/ui/form/useForm";
import { IconButton } from "@/ui/IconButton";
import { Input } from "@/ui/Input";
import { Section } from "@/ui/Section";
import { SkeletonText } from "@/ui/Skeleton";
import { useToast } from "@/ui/Toast";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { fullRules } from "./health";
import { groupWords } from "./words";

type Rule = Schema<"Rewrite">;

/** The rules by which addresses of a group are replaced. */
export function Rewrites({ group, mayEdit }: { group: string; mayEdit: boolean }) {
  const t = useWords(groupWords);
  const [editing, setEditing] = useState(false);
  const { data, error, refetch } = useGet("/groups/{group}/rewrites", { path: { group } });
  return (
    <Section
      title={t("rewrites")}
      text={t("rewritesText")}
      actions={
        mayEdit && (
          <Button size="small" icon={Pencil} disabled={!data} onClick={() => setEditing(true)}>
            {t("editRewrites")}
          </Button>
        )
      }
    >
      {error && <ErrorState problem={error} compact onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonText lines={2} />}
      {data?.rules.length === 0 && <p className="text-soft">{t("noRewrites")}</p>}
      {data && data.rules.length > 0 && (
        <ol className="flex list-decimal flex-col gap-1 pl-5 font-mono text-xs">
          {data.rules.map((rule) => (
            <li key={rule.from} className="break-all">
              {rule.from} → {rule.to}
            </li>
          ))}
        </ol>
      )}
      {editing && data && <EditRewrites group={group} rules={data.rules} onClose={() => setEditing(false)} />}
    </Section>
  );
}

type Line = Rule & { id: number };

function EditRewrites({ group, rules, onClose }: { group: string; rules: readonly Rule[]; onClose: () => void }) {
  const t = useWords(groupWords);
  const shared = useWords(sharedWords);
  const queries = useQueryClient();
  const toast = useToast();
  const [lines, setLines] = useState<Line[]>(() =>
    [...rules, ...(rules.length ? [] : [{ from: "", to: "" }])].map((rule, id) => ({ ...rule, id })),
  );
  const form = useForm();
  const change = (id: number, changed: Partial<Rule>) =>
    setLines((all) => all.map((line) => (line.id === id ? { ...line, ...changed } : line)));
  const up = (at: number) =>
    setLines((all) => all.map((line, i) => (i === at - 1 ? all[at] : i === at ? all[at - 1] : line) ?? line));
  const save = () =>
    form.send(async () => {
      const body = { rules: fullRules(lines).map(({ from, to }) => ({ from: from.trim(), to: to.trim() })) };
      await put("/groups/{group}/rewrites", { path: { group }, body });
      void queries.invalidateQueries({ queryKey: ["/groups/{group}/rewrites"] });
      toast.done(t("rulesSaved"));
      onClose();
    });
  return (
    <Dialog
      open
      size="large"
      onClose={onClose}
      title={t("rewrites")}
      text={t("rewritesText")}
      footer={
        <>
          <Button onClick={onClose}>{shared("cancel")}</Button>
          <Submit form={form}>{shared("save")}</Submit>
        </>
      }
    >
      <Form form={form} onSubmit={() => void save()} className="flex flex-col gap-3">
        <p className="text-faint text-xs">
          {t("from")}: {t("fromHelp")}. {t("to")}: {t("toHelp")}.
        </p>
        {lines.map((line, at) => (
          <div key={line.id} className="flex flex-wrap items-start gap-2 sm:flex-nowrap">
            {(["from", "to"] as const).map((part) => (
              <Field
                key={part}
                // Empty lines are not sent, so the server counts the others.
                name={`rules.${fullRules(lines.slice(0, at)).length}.${part}`}
                className="flex-1"
                label={<span className="sr-only">{`${t(part)} ${at + 1}`}</span>}
              >
                <Input
                  mono
                  placeholder={part === "from" ? "http://172.17." : "http://gateway:{port}"}
                  value={line[part]}
                  onChange={(event) => change(line.id, { [part]: event.target.value })}
                />
              </Field>
            ))}
            <IconButton icon={ArrowUp} label={t("moveUp", { n: at + 1 })} disabled={at === 0} onClick={() => up(at)} />
            <IconButton
              icon={Trash2}
              look="dangerPlain"
              label={t("removeRule", { n: at + 1 })}
              onClick={() => setLines((all) => all.filter((other) => other.id !== line.id))}
            />
          </div>
        ))}
        <span>
          <Button
            size="small"
            icon={Plus}
            onClick={() =>
              setLines((all) => [...all, { from: "", to: "", id: Math.max(-1, ...all.map((one) => one.id)) + 1 }])
            }
          >
            {t("addRule")}
          </Button>
        </span>
      </Form>
    </Dialog>
  );
}
