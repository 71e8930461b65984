import { useState } from "react";
import { patch, post } from "@/api/client";
import { type Problem, toProblem } from "@/api/problem";
import type { Schema } from "@/api/types";
import { Button } from "@/ui/Button";
import { Checkbox } from "@/ui/Checkbox";
import { Dialog } from "@/ui/Dialog";
import { Field } from "@/ui/Field";
import { Textarea } from "@/ui/Textarea";
import { useWords, words } from "@/words";
import { sharedWords } from "@/words/shared";
import { useJobsChanged } from "../actions";
import { type JobDocument, readDocuments } from "../manifest";
import { BulkResults } from "./BulkResults";

const importWords = words("jobs.import", {
  title: ["Import jobs", "导入任务", "匯入任務"],
  text: [
    "A file exported here, or jobs as code in JSON. For YAML and XXL-JOB data, use orth apply and orth import.",
    "此处导出的文件，或 JSON 格式的任务定义。YAML 与 XXL-JOB 的数据请用 orth apply 与 orth import。",
    "此處匯出的檔案，或 JSON 格式的任務定義。YAML 與 XXL-JOB 的資料請用 orth apply 與 orth import。",
  ],
  file: ["File", "文件", "檔案"],
  content: ["Content", "内容", "內容"],
  update: ["Update existing jobs", "更新已存在的任务", "更新已存在的任務"],
  updateHelp: [
    "Otherwise existing jobs are skipped and listed.",
    "否则跳过已存在的任务并列出。",
    "否則略過已存在的任務並列出。",
  ],
  unreadable: ["Not JSON with jobs: {{why}}", "不是包含任务的 JSON：{{why}}", "不是包含任務的 JSON：{{why}}"],
  check: ["Check", "检查", "檢查"],
  doImport: ["Import", "导入", "匯入"],
  would: ["{{n}} can be imported", "可导入 {{n}} 个", "可匯入 {{n}} 個"],
  did: ["{{n}} imported", "已导入 {{n}} 个", "已匯入 {{n}} 個"],
});

type Item = { key: string; error?: Schema<"Problem"> };

/** Imports jobs from a file, after a dry run. */
export function ImportDialog({ namespace, onClose }: { namespace: string; onClose: () => void }) {
  const t = useWords(importWords);
  const shared = useWords(sharedWords);
  const changed = useJobsChanged();
  const [text, setText] = useState("");
  const [update, setUpdate] = useState(false);
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState<string>();
  const [result, setResult] = useState<{ dry: boolean; items: Item[] } | null>(null);
  const take = (content: string) => {
    setText(content);
    setResult(null);
    setWrong(undefined);
  };
  const go = async (dry: boolean) => {
    setBusy(true);
    try {
      const items: Item[] = [];
      for (const one of readDocuments(text)) items.push(await bring(one, namespace, update, dry));
      setResult({ dry, items });
      if (!dry) await changed();
    } catch (error) {
      setWrong(t("unreadable", { why: toProblem(error).detail }));
    } finally {
      setBusy(false);
    }
  };
  const good = result?.items.filter((item) => !item.error).length ?? 0;
  return (
    <Dialog
      open
      size="large"
      onClose={onClose}
      title={t("title")}
      text={t("text")}
      footer={
        <>
          <Button onClick={onClose}>{shared(result && !result.dry ? "close" : "cancel")}</Button>
          <Button busy={busy} disabled={text.trim() === ""} onClick={() => void go(true)}>
            {t("check")}
          </Button>
          <Button look="main" busy={busy} disabled={!result?.dry || good === 0} onClick={() => void go(false)}>
            {t("doImport")}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Field label={t("file")}>
          <FilePicker onText={take} />
        </Field>
        <Field label={t("content")} error={wrong}>
          <Textarea mono rows={6} className="max-h-60" value={text} onChange={(event) => take(event.target.value)} />
        </Field>
        <Checkbox checked={update} onChange={setUpdate} help={t("updateHelp")}>
          {t("update")}
        </Checkbox>
        {result && (
          <BulkResults title={t(result.dry ? "would" : "did", { n: good })} items={result.items} link={!result.dry} />
        )}
      </div>
    </Dialog>
  );
}

function FilePicker({ onText }: { onText: (text: string) => void }) {
  const t = useWords(importWords);
  return (
    <input
      type="file"
      aria-label={t("file")}
      accept=".json,application/json"
      className="text-soft file:mr-3 file:h-8 file:cursor-pointer file:rounded-md file:border file:border-line-strong file:border-solid file:bg-raised file:px-3 file:font-medium file:text-ink"
      onChange={(event) => void event.target.files?.[0]?.text().then(onText)}
    />
  );
}

async function bring(one: JobDocument, namespace: string, update: boolean, dry: boolean): Promise<Item> {
  const key = one.metadata.key;
  const query = { namespace: one.metadata.namespace || namespace, dry_run: dry || undefined };
  try {
    await post("/jobs", { query, body: { ...one.spec, key, namespace: query.namespace } as never });
  } catch (error) {
    const problem = toProblem(error);
    if (!update || problem.status !== 409) return { key, error: asBody(problem) };
    try {
      await patch("/jobs/{key}", { path: { key }, query, body: one.spec as never });
    } catch (again) {
      return { key, error: asBody(toProblem(again)) };
    }
  }
  return { key };
}

function asBody(problem: Problem): Schema<"Problem"> {
  const { title, status, detail, hint } = problem;
  return { title, status, detail, hint, code: problem.code as Schema<"Problem">["code"] };
}
