import { useQueryClient } from "@tanstack/react-query";
import { KeyRound, Plus } from "lucide-react";
import { useState } from "react";
import { post, remove } from "@/api/client";
import { useGet } from "@/api/query";
import type { Schema } from "@/api/types";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { CodeBlock } from "@/ui/Code";
import { Confirm } from "@/ui/Confirm";
import { CopyButton } from "@/ui/CopyButton";
import { Dialog } from "@/ui/Dialog";
import { Empty } from "@/ui/Empty";
import { Field } from "@/ui/Field";
import { Form, Submit } from "@/ui/form/Form";
import { useForm } from "@/ui/form/useForm";
import { useNeeded } from "@/ui/form/useNeeded";
import { count } from "@/ui/format";
import { Input } from "@/ui/Input";
import { RadioGroup } from "@/ui/RadioGroup";
import { Section } from "@/ui/Section";
import { Table } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { useToast } from "@/ui/Toast";
import { useLanguage, useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { executorCommand } from "./command";
import { groupWords } from "./words";

type Token = Schema<"GroupToken">;

/** The tokens of a group: made, brought along, and revoked. */
export function Tokens({ group }: { group: string }) {
  const t = useWords(groupWords);
  const shared = useWords(sharedWords);
  const [language] = useLanguage();
  const queries = useQueryClient();
  const [adding, setAdding] = useState(false);
  const [revoking, setRevoking] = useState<Token | null>(null);
  const answer = useGet("/groups/{group}/tokens", { path: { group } }, { refetchInterval: 15_000 });
  const refresh = () => {
    for (const path of ["/groups/{group}/tokens", "/groups", "/groups/{group}"])
      void queries.invalidateQueries({ queryKey: [path] });
  };
  const add = (
    <Button size="small" icon={Plus} onClick={() => setAdding(true)}>
      {t("addToken")}
    </Button>
  );
  return (
    <Section title={t("tokens")} text={t("tokensText")} actions={add} flush>
      <Table<Token>
        label={t("tokens")}
        rows={answer.data?.tokens}
        rowKey={(one) => one.id}
        problem={answer.error}
        onRetry={() => void answer.refetch()}
        empty={
          <Empty icon={KeyRound} title={t("noTokens")} command={`orth group token add ${group} --label 'first'`}>
            {t("noTokensText")}
          </Empty>
        }
        columns={[
          {
            id: "label",
            title: t("tokenLabel"),
            fixed: true,
            cell: (one) => (
              <span className="flex flex-wrap items-center gap-2">
                <span className="font-medium">{one.label || `#${one.id}`}</span>
                {!one.outbound && (
                  <Badge tone="warn" title={t("outboundNo")}>
                    {t("outbound")}: {shared("no")}
                  </Badge>
                )}
              </span>
            ),
          },
          { id: "created", title: shared("created"), cell: (one) => <Time at={one.created_at} /> },
          {
            id: "used",
            title: t("lastUsed"),
            cell: (one) =>
              one.last_used_at ? <Time at={one.last_used_at} /> : <span className="text-faint">{shared("never")}</span>,
          },
          {
            id: "executors",
            title: t("shownBy"),
            align: "right",
            cell: (one) => (
              <span className="tabular-nums" title={t("shownByHelp")}>
                {count(one.executors, language)}
              </span>
            ),
          },
          {
            id: "actions",
            title: shared("actions"),
            fixed: true,
            align: "right",
            cell: (one) => (
              <Button size="small" look="dangerPlain" onClick={() => setRevoking(one)}>
                {t("revoke")}
              </Button>
            ),
          },
        ]}
      />
      {adding && (
        <AddToken
          group={group}
          onClose={() => {
            setAdding(false);
            refresh();
          }}
        />
      )}
      {revoking && (
        <Revoke
          group={group}
          token={revoking}
          onClose={() => {
            setRevoking(null);
            refresh();
          }}
        />
      )}
    </Section>
  );
}

function Revoke({ group, token, onClose }: { group: string; token: Token; onClose: () => void }) {
  const t = useWords(groupWords);
  const toast = useToast();
  const used = token.executors > 0;
  return (
    <Confirm
      open
      danger
      onClose={onClose}
      title={`${t("revoke")}: ${token.label || `#${token.id}`}`}
      text={t("revokeText")}
      action={t(used ? "revokeForce" : "revoke")}
      onConfirm={async () => {
        await remove("/groups/{group}/tokens/{id}", {
          path: { group, id: token.id },
          query: used ? { force: true } : {},
        });
        toast.done(t("revoked"));
      }}
    >
      {used && <p className="font-medium text-bad">{t("revokeUsed", { count: token.executors })}</p>}
    </Confirm>
  );
}

function AddToken({ group, onClose }: { group: string; onClose: () => void }) {
  const t = useWords(groupWords);
  const shared = useWords(sharedWords);
  const toast = useToast();
  const [label, setLabel] = useState("");
  const [brings, setBrings] = useState<"make" | "bring">("make");
  const [text, setText] = useState("");
  const [made, setMade] = useState<string | null>(null);
  const needed = useNeeded();
  const form = useForm({ faults: { token: brings === "bring" ? needed(text) : undefined } });
  const save = () =>
    form.send(async () => {
      const token = await post("/groups/{group}/tokens", {
        path: { group },
        body: { label: label || undefined, token: brings === "bring" ? text : undefined },
      });
      if (token.token) return setMade(token.token);
      toast.done(t("tokenTaken"));
      onClose();
    });
  if (made !== null) return <Shown group={group} secret={made} onClose={onClose} />;
  return (
    <Dialog
      open
      size="small"
      onClose={onClose}
      title={t("addToken")}
      footer={
        <>
          <Button onClick={onClose}>{shared("cancel")}</Button>
          <Submit form={form}>{t("addToken")}</Submit>
        </>
      }
    >
      <Form form={form} onSubmit={() => void save()} className="flex flex-col gap-3">
        <RadioGroup
          label={t("addToken")}
          value={brings}
          onChange={setBrings}
          options={[
            { value: "make", label: t("tokenMade") },
            { value: "bring", label: t("tokenBrought") },
          ]}
        />
        <Field name="label" label={t("tokenLabel")} help={t("tokenLabelHelp")}>
          <Input value={label} onChange={(event) => setLabel(event.target.value)} />
        </Field>
        {brings === "bring" && (
          <Field name="token" label={t("tokenText")} help={t("tokenTextHelp")} required>
            <Input
              mono
              type="password"
              autoComplete="new-password"
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          </Field>
        )}
      </Form>
    </Dialog>
  );
}

/** The secret, this once. */
function Shown({ group, secret, onClose }: { group: string; secret: string; onClose: () => void }) {
  const t = useWords(groupWords);
  const shared = useWords(sharedWords);
  const command = executorCommand(group, `${group}.token`);
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("tokenSecret")}
      text={t("tokenOnce")}
      footer={
        <Button look="main" onClick={onClose}>
          {shared("close")}
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        <div className="flex items-center gap-1 rounded-md border bg-sunken py-1 pr-1 pl-3">
          <code className="min-w-0 flex-1 break-all font-mono text-xs">{secret}</code>
          <CopyButton text={secret} />
        </div>
        <p className="text-soft">{t("tokenUse")}</p>
        <CodeBlock>{command}</CodeBlock>
      </div>
    </Dialog>
  );
}
