import { CircleCheck, Inbox } from "lucide-react";
import { type ReactNode, useEffect, useMemo, useRef } from "react";
import { Badge, type Tone } from "@/ui/Badge";
import { Empty } from "@/ui/Empty";
import { KeyValue } from "@/ui/KeyValue";
import { ButtonLink, Link } from "@/ui/Link";
import { Section } from "@/ui/Section";
import { Table } from "@/ui/Table";
import { useLanguage, useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { findingIn } from "./findings";
import { hasChanges, type Item, type Report, sortItems } from "./form";
import { importWords } from "./words";

const tones: Record<Item["result"], Tone> = { planned: "busy", done: "good", failed: "bad", left: "idle" };
const kindWord = { group: "kindGroup", job: "kindJob", executor: "kindExecutor", user: "kindUser" } as const;
const deedWord = { create: "create", change: "change", none: "noneDeed" } as const;

/** What an import came to, or would come to. */
export function Result({ report, action }: { report: Report; action?: ReactNode }) {
  const t = useWords(importWords);
  const shared = useWords(sharedWords);
  const head = useRef<HTMLDivElement>(null);
  useEffect(() => {
    head.current?.scrollIntoView({ block: "nearest" });
  }, []);
  const items = useMemo(() => sortItems(report.items), [report.items]);
  const failed = report.items.filter((item) => item.result === "failed").length;
  return (
    <div ref={head} className="mt-4 flex flex-col gap-4">
      <Section title={t(report.dry_run ? "wouldBe" : "was")} actions={action}>
        <div className="flex flex-col gap-3" role="status">
          {!report.dry_run && (
            <p className="flex flex-wrap items-center gap-2">
              {failed > 0 ? (
                <Badge tone="bad">{t("someFailed", { count: failed })}</Badge>
              ) : (
                <Badge tone="good" icon={CircleCheck}>
                  {t("allDone")}
                </Badge>
              )}
              <span className="text-soft">{t("next")}</span>
            </p>
          )}
          {report.dry_run && items.length > 0 && !hasChanges(report) && <p>{t("nothing")}</p>}
          <KeyValue
            columns={2}
            items={[
              [t("source"), report.source],
              [shared("namespace"), report.namespace],
              [
                t("zone"),
                report.zone_from ? t("zoneSaid", { zone: report.zone ?? "", from: report.zone_from }) : report.zone,
              ],
              [t("groupCount"), report.found.groups || undefined],
              [t("jobCount"), report.found.jobs],
              [t("linkCount"), report.found.links || undefined],
              [t("executorCount"), report.found.executors || undefined],
              [t("userCount"), report.found.users || undefined],
            ]}
          />
          {!report.dry_run && (
            <div className="flex flex-wrap gap-2">
              <ButtonLink to="/jobs" search={{ ns: report.namespace } as never}>
                {t("toJobs")}
              </ButtonLink>
              <ButtonLink to="/groups" search={{ ns: report.namespace } as never}>
                {t("toGroups")}
              </ButtonLink>
            </div>
          )}
        </div>
      </Section>
      <Section flush>
        <Table<Item>
          label={t(report.dry_run ? "wouldBe" : "was")}
          rows={items}
          rowKey={(item) => `${item.kind} ${item.group ?? ""} ${item.key}`}
          empty={
            <Empty icon={Inbox} title={t("noItems")}>
              {t("noItemsText")}
            </Empty>
          }
          columns={[
            { id: "kind", title: t("kind"), cell: (item) => t(kindWord[item.kind]), fixed: true },
            {
              id: "what",
              title: t("what"),
              fixed: true,
              cell: (item) => <What item={item} linked={!report.dry_run && item.result !== "failed"} report={report} />,
            },
            { id: "group", title: shared("group"), cell: (item) => item.group ?? "" },
            { id: "deed", title: t("deed"), cell: (item) => t(deedWord[item.action]) },
            {
              id: "result",
              title: t("result"),
              cell: (item) => <Badge tone={tones[item.result]}>{t(item.result)}</Badge>,
            },
            { id: "details", title: t("details"), cell: (item) => <Details item={item} /> },
          ]}
        />
      </Section>
      <Findings report={report} />
    </div>
  );
}

function What({ item, linked, report }: { item: Item; linked: boolean; report: Report }) {
  const search = { ns: report.namespace } as never;
  const name = <span className="font-medium">{item.key}</span>;
  return (
    <span className="flex flex-col">
      {linked && item.kind === "job" ? (
        <Link to="/jobs/$id" params={{ id: item.key } as never} search={search}>
          {name}
        </Link>
      ) : (
        name
      )}
      {item.title && item.title !== item.key && <span className="text-faint text-xs">{item.title}</span>}
    </span>
  );
}

function Details({ item }: { item: Item }) {
  const t = useWords(importWords);
  const fields = item.fields ?? [];
  return (
    <div className="max-w-prose text-soft">
      {item.message}
      {fields.length > 0 && (
        <details>
          <summary className="cursor-pointer">{t("fields", { count: fields.length })}</summary>
          <ul className="mt-1 flex flex-col gap-1 font-mono text-xs">
            {fields.map((field) => (
              <li key={field.path} className="break-all">
                {field.path}: <del className="text-bad">{field.old || "–"}</del>{" "}
                <ins className="text-good no-underline">{field.new || "–"}</ins>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

type Finding = Report["findings"][number];

function Findings({ report }: { report: Report }) {
  const t = useWords(importWords);
  const [language] = useLanguage();
  if (report.findings.length === 0) return null;
  const where = (one: Finding) => {
    if (one.line) return t("line", { line: one.line });
    return one.table && one.row ? t("row", { table: one.table, row: one.row }) : (one.table ?? "");
  };
  const keyed = report.findings.map((finding, at) => ({ finding, at }));
  return (
    <Section
      flush
      title={
        <>
          {t("findings")} <span className="text-faint tabular-nums">{report.findings.length}</span>
        </>
      }
    >
      <Table<(typeof keyed)[number]>
        label={t("findings")}
        rows={keyed}
        rowKey={(one) => String(one.at)}
        empty=""
        columns={[
          { id: "place", title: t("place"), fixed: true, cell: (one) => where(one.finding) },
          { id: "what", title: t("what"), fixed: true, cell: (one) => one.finding.name ?? "" },
          {
            id: "text",
            title: t("details"),
            fixed: true,
            cell: (one) => <span className="block max-w-prose break-words">{findingIn(language, one.finding)}</span>,
          },
        ]}
      />
    </Section>
  );
}
