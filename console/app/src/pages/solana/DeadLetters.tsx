import { useNavigate } from "@tanstack/react-router";
import { Inbox, RotateCcw } from "lucide-react";
import { useState } from "react";
import { post } from "@/api/client";
import type { Schema } from "@/api/types";
import { useSession } from "@/session/session";
import { Button } from "@/ui/Button";
import { Confirm } from "@/ui/Confirm";
import { CopyButton } from "@/ui/CopyButton";
import { Empty } from "@/ui/Empty";
import { count } from "@/ui/format";
import { Section } from "@/ui/Section";
import { SelectionBar } from "@/ui/SelectionBar";
import { type Column, Table } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { useToast } from "@/ui/Toast";
import { useLanguage, useWords } from "@/words";
import { type Dead, type Facts, redriveCommand, shortKey } from "./facts";
import { solanaWords } from "./words";

/** What an executor has given up, and how it is tried again. */
export function DeadLetters({ executor, facts }: { executor?: Schema<"Executor">; facts?: Facts }) {
  const t = useWords(solanaWords);
  const toast = useToast();
  const navigate = useNavigate();
  const { whyNot } = useSession();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [asked, setAsked] = useState(false);
  const columns = useColumns(facts);
  const ids = facts?.dead.filter((one) => selected.has(one.id)).map((one) => one.id) ?? [];
  const { redrive: job, namespace } = facts?.reports ?? {};
  const reason = job ? whyNot("operate", namespace, executor?.group) : t("noJob");
  const redrive = async () => {
    if (!job || !executor) return;
    const run = await post("/jobs/{key}/trigger", {
      path: { key: job },
      query: { namespace },
      body: { param: JSON.stringify({ ids }), addresses: [executor.address] },
    });
    setSelected(new Set());
    toast.done(t("redriven", { id: run.id }), undefined, {
      label: t("seeRun"),
      onAction: () => void navigate({ to: "/runs/$id", params: { id: run.id } }),
    });
  };
  return (
    <>
      <Section flush>
        <Table
          label={t("dead")}
          columns={columns}
          rows={facts?.dead}
          rowKey={(one) => one.id}
          selected={selected}
          onSelect={setSelected}
          empty={
            <Empty icon={Inbox} title={t("noDead")}>
              {t("noDeadText")}
            </Empty>
          }
        />
      </Section>
      <SelectionBar count={ids.length} onClear={() => setSelected(new Set())}>
        <Button size="small" icon={RotateCcw} reason={reason} onClick={() => setAsked(true)}>
          {t("redriveN", { count: ids.length })}
        </Button>
        <CopyButton text={redriveCommand(ids)} label={t("command")} />
      </SelectionBar>
      <Confirm
        open={asked}
        onClose={() => setAsked(false)}
        title={t("redriveTitle")}
        text={t("redriveText")}
        action={t("redriveN", { count: ids.length })}
        onConfirm={redrive}
      >
        <p className="text-faint text-xs">{t("command")}</p>
        <div className="flex min-w-0 items-center gap-1 rounded-md border bg-sunken py-0.5 pr-0.5 pl-3">
          <code className="min-w-0 flex-1 overflow-x-auto whitespace-nowrap font-mono text-xs">
            {redriveCommand(ids)}
          </code>
          <CopyButton text={redriveCommand(ids)} />
        </div>
      </Confirm>
    </>
  );
}

function useColumns(facts?: Facts): Column<Dead>[] {
  const t = useWords(solanaWords);
  const [language] = useLanguage();
  const ids = new Map(facts?.threads.map((one) => [one.key, one.id]));
  return [
    {
      id: "task",
      title: t("task"),
      fixed: true,
      cell: (one) => (
        <span className="flex items-center gap-1 font-mono text-xs">
          {one.id}
          <CopyButton text={one.id} />
        </span>
      ),
    },
    {
      id: "thread",
      title: t("thread"),
      className: "whitespace-nowrap",
      cell: (one) => (
        <span title={one.thread}>
          {ids.get(one.thread)} <span className="font-mono text-faint text-xs">{shortKey(one.thread)}</span>
        </span>
      ),
    },
    {
      id: "exec",
      title: t("exec"),
      align: "right",
      className: "tabular-nums",
      cell: (one) => count(one.exec, language),
    },
    { id: "tries", title: t("tries"), align: "right", className: "tabular-nums", cell: (one) => one.tries },
    { id: "class", title: t("class"), cell: (one) => <span className="font-mono text-xs">{one.class}</span> },
    { id: "since", title: t("since"), cell: (one) => <Time at={one.since} /> },
    {
      id: "reason",
      title: t("reason"),
      className: "w-full max-w-0 min-w-48 truncate",
      cell: (one) => (
        <span className="text-soft" title={one.reason}>
          {one.reason}
        </span>
      ),
    },
  ];
}
