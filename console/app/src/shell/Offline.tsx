import { useQueryClient } from "@tanstack/react-query";
import { Unplug } from "lucide-react";
import { useEffect, useState } from "react";
import { Problem } from "@/api/problem";
import { Button } from "@/ui/Button";
import { useWords } from "@/words";
import { shellWords } from "./words";

/** Shows above the page that the server does not answer and data may be out of date. */
export function Offline() {
  const t = useWords(shellWords);
  const queries = useQueryClient();
  const [offline, setOffline] = useState(false);
  useEffect(
    () =>
      queries.getQueryCache().subscribe((event) => {
        if (event.type !== "updated") return;
        if (event.action.type === "success") setOffline(false);
        if (event.action.type !== "error" && event.action.type !== "failed") return;
        const { error } = event.action;
        if (error instanceof Problem && error.code === "offline") setOffline(true);
      }),
    [queries],
  );
  useEffect(() => {
    if (!offline) return;
    const timer = setInterval(() => void queries.invalidateQueries({ queryKey: ["/version"] }), 3_000);
    return () => clearInterval(timer);
  }, [offline, queries]);
  if (!offline) return null;
  return (
    <div role="status" className="sticky top-0 z-20 flex items-center gap-2 border-b bg-warn-tint px-4 py-1.5 md:px-6">
      <Unplug aria-hidden className="size-4 text-warn" />
      <span className="flex-1">{t("offline")}</span>
      <Button size="small" onClick={() => void queries.invalidateQueries()}>
        {t("again")}
      </Button>
    </div>
  );
}
