import { useState } from "react";
import { type Problem, toProblem } from "@/api/problem";
import { useWords, words } from "@/words";
import { Button } from "./Button";
import { ErrorState } from "./ErrorState";

const conflictWords = words("race", {
  title: ["Someone else changed this", "已被他人更改", "已被他人更改"],
  load: ["Load their changes and keep my input", "载入对方的更改并保留我的输入", "載入對方的變更並保留我的輸入"],
  gone: ["This no longer exists", "内容已不存在", "內容已不存在"],
  adopted: [
    "Their changes are loaded and your input is kept. Check the fields, then save again.",
    "已载入对方的更改，并保留了您的输入。请检查后再次保存。",
    "已載入對方的變更，並保留了您的輸入。請檢查後再次儲存。",
  ],
  both: [
    "You both changed: {{fields}}. Your values are shown.",
    "双方更改了相同的字段：{{fields}}。当前显示您的输入。",
    "雙方變更了相同的欄位：{{fields}}。目前顯示您的輸入。",
  ],
});

/** Reports a conflicting change by another user. `load` fetches the current version and adopts it. */
export function ConflictNotice({ problem, load }: { problem: Problem; load: () => Promise<void> }) {
  const t = useWords(conflictWords);
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState<Problem | null>(null);
  const run = async () => {
    setBusy(true);
    try {
      await load();
    } catch (error) {
      setFailed(toProblem(error));
      setBusy(false);
    }
  };
  const gone = failed?.status === 404;
  return (
    <ErrorState compact problem={failed ?? problem} title={gone ? t("gone") : failed ? undefined : t("title")}>
      {!gone && (
        <Button size="small" className="mt-2" busy={busy} onClick={() => void run()}>
          {t("load")}
        </Button>
      )}
    </ErrorState>
  );
}

/** Reports that the changes of another user were merged under the input. `names` are the labels of the fields. */
export function MergedNotice({
  both,
  names = {},
}: {
  both: readonly string[] | undefined;
  names?: Record<string, string>;
}) {
  const t = useWords(conflictWords);
  if (!both) return null;
  return (
    <div role="status" className="rounded-md border-accent border-l-2 bg-accent-tint px-3 py-2 text-ink text-sm">
      <p>{t("adopted")}</p>
      {both.length > 0 && <p>{t("both", { fields: both.map((one) => names[one] ?? one).join(", ") })}</p>}
    </div>
  );
}
