import { useQueryClient } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import { useEffect } from "react";
import { basePath } from "@/api/base";
import { Button } from "@/ui/Button";
import { OutLink } from "@/ui/Link";
import { resumeSession, useSessionOver } from "@/ui/unsaved";
import { useWords } from "@/words";
import { problemWords } from "@/words/shared";
import { shellWords } from "./words";

/** Shows above a page with unsaved input that the session has ended, until the user signs in in another tab. */
export function SessionOver() {
  const t = useWords(problemWords);
  const shell = useWords(shellWords);
  const queries = useQueryClient();
  const over = useSessionOver();
  useEffect(
    () =>
      queries.getQueryCache().subscribe((event) => {
        if (event.type === "updated" && event.action.type === "success") resumeSession();
      }),
    [queries],
  );
  if (!over) return null;
  return (
    <div
      role="status"
      className="sticky top-0 z-20 flex flex-wrap items-center gap-x-3 gap-y-1 border-b bg-warn-tint px-4 py-1.5 md:px-6"
    >
      <KeyRound aria-hidden className="size-4 text-warn" />
      <span className="min-w-0 flex-1">
        <strong className="mr-2 font-semibold">{t("sessionOver")}</strong>
        {t("sessionOverHint")}
      </span>
      <OutLink href={`${basePath}/sign-in`}>{t("signIn")}</OutLink>
      <Button size="small" onClick={() => void queries.invalidateQueries()}>
        {shell("again")}
      </Button>
    </div>
  );
}
