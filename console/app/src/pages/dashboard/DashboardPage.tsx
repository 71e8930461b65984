import { useNavigate, useSearch } from "@tanstack/react-router";
import { CalendarRange, ChevronDown } from "lucide-react";
import { lazy, Suspense } from "react";
import { useGet } from "@/api/query";
import { useNamespace } from "@/shell/namespace";
import { Button } from "@/ui/Button";
import { ErrorState } from "@/ui/ErrorState";
import { zone } from "@/ui/format";
import { Menu, MenuRadio } from "@/ui/Menu";
import { PageHeader } from "@/ui/PageHeader";
import { Segmented } from "@/ui/Segmented";
import { useWords } from "@/words";
import { Charts } from "./Charts";
import { Backlog, Executors, Failing, Servers, Soon } from "./Lists";
import { NowTiles } from "./NowTiles";
import { RangeTiles } from "./RangeTiles";
import { days, type Range, spans } from "./route";
import { dashboardWords } from "./words";

const Welcome = lazy(() => import("../welcome/Welcome"));

/** How often the figures of a time are asked for again, in ms. */
const every: Partial<Record<Range, number>> = {
  "1h": 5_000,
  "24h": 10_000,
  today: 10_000,
  "7d": 30_000,
  this_week: 30_000,
};

/** What goes on now, and what went on in a time. */
export function DashboardPage() {
  const t = useWords(dashboardWords);
  const { namespace } = useNamespace();
  const { range = "24h", group } = useSearch({ from: "/shell/" });
  const navigate = useNavigate({ from: "/" });
  const { data, error, isPlaceholderData, refetch } = useGet(
    "/dashboard",
    { query: { range, zone, namespace: namespace || undefined, group } },
    { keep: true, refetchInterval: every[range] ?? 60_000 },
  );
  const { data: summary } = useGet("/summary");
  const { data: groups } = useGet("/groups", { query: { namespace: namespace || undefined } }, { staleTime: 60_000 });
  const day = days.find((one) => one === range);
  const fresh = summary?.jobs.total === 0;
  const search = (changed: { range?: Range; group?: string }) =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true });
  return (
    <>
      <PageHeader
        title={t("title")}
        actions={
          <>
            <Menu
              trigger={
                <Button aria-label={`${t("group")}: ${group ?? t("allGroups")}`}>
                  {group ?? t("allGroups")}
                  <ChevronDown aria-hidden className="size-3.5 text-faint" />
                </Button>
              }
            >
              <MenuRadio
                value={group ?? ""}
                onChange={(chosen) => search({ group: chosen || undefined })}
                options={[
                  { value: "", label: t("allGroups") },
                  // Groups of several namespaces may have one key.
                  ...[...new Set((groups?.groups ?? []).map((one) => one.key))].map((key) => ({
                    value: key,
                    label: key,
                  })),
                ]}
              />
            </Menu>
            <Segmented<Range>
              label={t("range")}
              className="max-sm:order-last"
              value={range}
              onChange={(chosen) => search({ range: chosen })}
              options={spans.map((value) => ({ value, label: t(`r${value}`) }))}
            />
            <Menu
              align="end"
              trigger={
                <Button aria-label={day ? `${t("calendar")}: ${t(`r${day}`)}` : t("calendar")}>
                  {day ? t(`r${day}`) : <CalendarRange aria-hidden className="size-4 text-faint" strokeWidth={1.75} />}
                  <ChevronDown aria-hidden className="size-3.5 text-faint" />
                </Button>
              }
            >
              <MenuRadio
                value={range}
                onChange={(chosen) => search({ range: chosen as Range })}
                options={days.map((value) => ({ value, label: t(`r${value}`) }))}
              />
            </Menu>
          </>
        }
      />
      <div className="flex flex-col gap-4">
        {fresh && (
          <Suspense fallback={null}>
            <Welcome />
          </Suspense>
        )}
        <NowTiles namespace={namespace} />
        {error && !(data && error.offline) && <ErrorState problem={error} onRetry={() => void refetch()} compact />}
        <RangeTiles data={data} />
        <Charts data={data} stale={isPlaceholderData} />
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <div className="flex min-w-0 flex-col gap-4">
            <Failing data={data} />
            <Executors data={data} />
          </div>
          <div className="flex min-w-0 flex-col gap-4">
            <Backlog data={data} />
            <Soon data={data} />
          </div>
        </div>
        <Servers />
      </div>
    </>
  );
}
