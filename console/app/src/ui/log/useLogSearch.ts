import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { get } from "@/api/client";
import { type Problem, toProblem } from "@/api/problem";
import { useDebounced } from "../useDebounced";
import type { Wanted } from "./marks";

const page = 500;

/** What a search has found so far. */
export type Found = {
  lines: number[];
  /** Where to go on; empty when the end was reached. */
  next: string;
  note: string;
  busy: boolean;
  problem: Problem | null;
};

const nothing: Found = { lines: [], next: "", note: "", busy: false, problem: null };

/** Looks for lines in the log of an attempt on the server: also those that are not in memory here. */
export function useLogSearch(runId: string, attempt: number, show: (line: number) => void) {
  const [text, setText] = useState("");
  const [regexp, setRegexp] = useState(false);
  const [caseMatters, setCaseMatters] = useState(false);
  const [found, setFound] = useState<Found>(nothing);
  const [at, setAt] = useState(-1);
  const settled = useDebounced(text, 250);
  const wanted = useMemo<Wanted | null>(
    () => (settled === "" ? null : { text: settled, regexp, fold: !caseMatters }),
    [settled, regexp, caseMatters],
  );
  const calls = useRef(0);

  const look = useCallback(
    async (wanted: Wanted, from: string, before: number[]): Promise<number[]> => {
      calls.current += 1;
      const call = calls.current;
      setFound((now) => ({ ...now, busy: true, problem: null }));
      try {
        const hits = await get("/runs/{id}/log/search", {
          path: { id: runId },
          query: { ...wanted, attempt, limit: page, ...(from ? { from: Number(from) } : {}) },
        });
        if (call !== calls.current) return before;
        const lines = [...before, ...hits.hits.map((hit) => hit.line)];
        setFound({
          lines,
          next: hits.next ?? "",
          note: hits.complete ? "" : (hits.note ?? ""),
          busy: false,
          problem: null,
        });
        return lines;
      } catch (error) {
        if (call === calls.current) setFound({ ...nothing, problem: toProblem(error) });
        return before;
      }
    },
    [runId, attempt],
  );

  useEffect(() => {
    setAt(-1);
    if (!wanted) {
      calls.current += 1;
      setFound(nothing);
      return;
    }
    setFound({ ...nothing, busy: true });
    void look(wanted, "", []).then((lines) => {
      const first = lines[0];
      if (first === undefined) return;
      setAt(0);
      show(first);
    });
  }, [wanted, look, show]);

  const turn = useCallback(
    async (step: 1 | -1) => {
      if (!wanted || found.busy) return;
      let lines = found.lines;
      let to = at + step;
      if (to >= lines.length && found.next) lines = await look(wanted, found.next, lines);
      if (lines.length === 0) return;
      if (to >= lines.length) to = 0;
      if (to < 0) to = lines.length - 1;
      setAt(to);
      show(lines[to] as number);
    },
    [wanted, found, at, look, show],
  );

  const current = found.lines[at];
  return { text, setText, regexp, setRegexp, caseMatters, setCaseMatters, wanted, found, at, current, turn };
}

export type LogSearch = ReturnType<typeof useLogSearch>;
