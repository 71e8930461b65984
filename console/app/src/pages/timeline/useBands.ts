import { useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import { post } from "@/api/client";
import { useGet } from "@/api/query";
import { parseDuration } from "@/ui/format";
import { type Band, bandsOf } from "./bands";

/** More windows of one pause are not looked for. */
const mostWindows = 200;

/** When pauses hold within a timeline. What cannot be read leaves bands out. */
export function useBands(from: number, minutes: number): Band[] {
  const pauses = useGet("/pauses", {}, { refetchInterval: 60_000 }).data?.pauses;
  const asked = useMemo(() => (pauses ?? []).filter((one) => one.window).slice(0, 20), [pauses]);
  const windows = useQueries({
    queries: asked.map((one) => ({
      queryKey: ["/firings", "windows", one.window, from, minutes],
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const { cron = "", zone, for: length = "" } = one.window ?? {};
        const found = await post("/firings", {
          body: {
            schedule: { kind: "cron", cron, zone: zone || "UTC" } as never,
            from: new Date(from - (parseDuration(length) || 0) - 1).toISOString(),
            count: mostWindows,
          },
          signal,
        });
        return found.firings.map((firing) => firing.at);
      },
      retry: false,
      staleTime: 600_000,
    })),
    combine: (results) => results.map((one) => one.data),
  });
  return useMemo(() => {
    const known = Object.fromEntries(
      asked.flatMap((one, index) => (windows[index] ? [[one.key, windows[index]] as const] : [])),
    );
    return bandsOf(pauses ?? [], known, from, minutes);
  }, [pauses, asked, windows, from, minutes]);
}
