import { useEffect, useMemo, useSyncExternalStore } from "react";
import { LogSource, readerOf } from "./source";

/** The log of an attempt of a run, of the newest one with 0, as long as the component is there. */
export function useLog(runId: string, attempt: number) {
  const source = useMemo(() => new LogSource(readerOf(runId), attempt), [runId, attempt]);
  useEffect(() => {
    source.start();
    return () => source.stop();
  }, [source]);
  return { source, log: useSyncExternalStore(source.subscribe, source.get) };
}
