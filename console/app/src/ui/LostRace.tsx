import { useState } from "react";
import { type Problem, toProblem } from "@/api/problem";
import { useWords, words } from "@/words";
import { Button } from "./Button";
import { ErrorState } from "./ErrorState";

const raceWords = words("race", {
  title: ["Somebody changed it meanwhile", "期间已被他人更改", "期間已被他人更改"],
  load: ["Load that under what you typed", "载入其更改并保留您的输入", "載入其更改並保留您的輸入"],
  gone: ["It is not there any more", "它已不存在", "它已不存在"],
  adopted: [
    "What somebody else changed is loaded, and what you typed is kept. Look through it, then save again.",
    "已载入他人的更改，并保留了您的输入。请检查后再次保存。",
    "已載入他人的更改，並保留了您的輸入。請檢查後再次儲存。",
  ],
  both: [
    "You both changed the same: {{fields}}. What you typed stands here.",
    "双方更改了相同的内容：{{fields}}。此处为您的输入。",
    "雙方更改了相同的內容：{{fields}}。此處為您的輸入。",
  ],
});

/** Says that somebody else was faster, with the way on: `load` reads what is there now, and adopts it. */
export function LostRace({ problem, load }: { problem: Problem; load: () => Promise<void> }) {
  const t = useWords(raceWords);
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

/** Says that what somebody else changed stands under what was typed. `names` are the fields in words. */
export function Adopted({ both, names = {} }: { both: readonly string[] | undefined; names?: Record<string, string> }) {
  const t = useWords(raceWords);
  if (!both) return null;
  return (
    <div role="status" className="rounded-md border-accent border-l-2 bg-accent-tint px-3 py-2 text-ink text-sm">
      <p>{t("adopted")}</p>
      {both.length > 0 && <p>{t("both", { fields: both.map((one) => names[one] ?? one).join(", ") })}</p>}
    </div>
  );
}
