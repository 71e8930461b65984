import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Repeat } from "lucide-react";
import { post } from "@/api/client";
import { useGet } from "@/api/query";
import type { Run } from "@/api/types";
import { reasonText } from "@/pages/explanation/reasonText";
import { useSession } from "@/session/session";
import { Button } from "@/ui/Button";
import { cn } from "@/ui/cn";
import { ErrorState } from "@/ui/ErrorState";
import { Link } from "@/ui/Link";
import { Section } from "@/ui/Section";
import { SkeletonText } from "@/ui/Skeleton";
import { StateBadge } from "@/ui/StateBadge";
import { useToast } from "@/ui/Toast";
import { useWords } from "@/words";
import { runsWords } from "./words";

/** The shards of a broadcast as a grid that shows which failed. */
export function Shards({ run }: { run: Run }) {
  const t = useWords(runsWords);
  const toast = useToast();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { whyNot } = useSession();
  const { shards } = run;
  const list = useGet(
    "/runs/{id}/shards",
    { path: { id: run.id } },
    { enabled: Boolean(shards), refetchInterval: run.final ? false : 5_000 },
  );
  if (!shards) return null;
  const retry = async () => {
    try {
      const made = await post("/runs/{id}/shards/retry", { path: { id: run.id } });
      void queries.invalidateQueries({ queryKey: ["/runs"] });
      toast.done(t("rerunDone", { id: made.id }));
      void navigate({ to: "/runs/$id", params: { id: made.id } });
    } catch (error) {
      toast.failed(error);
    }
  };
  return (
    <Section
      title={t("shards")}
      text={t("shardsText", { open: shards.open, failed: shards.failed, count: shards.count })}
      actions={
        run.final && shards.failed > 0 ? (
          <Button
            size="small"
            icon={Repeat}
            reason={whyNot("operate", run.namespace, run.group)}
            onClick={() => void retry()}
          >
            {t("retryShards")}
          </Button>
        ) : undefined
      }
    >
      {list.error && <ErrorState problem={list.error} compact onRetry={() => void list.refetch()} />}
      {!list.data && !list.error && <SkeletonText lines={2} />}
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(13rem,1fr))] gap-2">
        {list.data?.shards.map((one) => (
          <li key={one.id}>
            <Link
              to="/runs/$id"
              params={{ id: one.id }}
              className={cn(
                "flex flex-col gap-0.5 rounded-md border px-2.5 py-1.5 text-ink hover:bg-hover hover:no-underline",
                ["failed", "timed_out", "lost"].includes(one.state) && "border-bad/50",
              )}
            >
              <span className="flex items-center justify-between gap-2">
                <span className="font-medium">{(one.shard?.index ?? 0) + 1}</span>
                <StateBadge state={one.state} bare />
              </span>
              <span className="truncate font-mono text-faint text-xs">{one.address ?? "–"}</span>
              {one.message && (
                <span className="truncate text-soft text-xs" title={reasonText(one.message)}>
                  {reasonText(one.message)}
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}
