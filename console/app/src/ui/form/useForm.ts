import { type RefObject, useCallback, useEffect, useId, useMemo, useReducer, useRef, useState } from "react";
import { type Problem, toProblem } from "@/api/problem";
import { asProblem, assignFaults, type Faults, fieldFor, mergeFaults, plainName } from "./faults";
import { leadToFault } from "./lead";
import type { FormScope } from "./scope";

export type FormOptions = {
  /** What the browser knows to be wrong now, by field. */
  faults?: Faults;
  /** What the server would refuse if the form were sent now. */
  advice?: Problem | null;
  /** Names of the API that the form has under others. */
  names?: Record<string, string>;
  /** Shows the place of these fields, named as the API and the faults name them: another tab, another view. */
  reveal?: (fields: readonly string[]) => void;
};

export type FormState = {
  /** The id of the form, for buttons outside of it. */
  id: string;
  element: RefObject<HTMLFormElement | null>;
  scope: FormScope;
  busy: boolean;
  /** What the server refused last. */
  problem: Problem | null;
  /** What is wrong and belongs to no field that the form shows. */
  left: Problem | null;
  /** How many fields show that they need attention; 0 until a submit was tried. */
  wrong: number;
  /** Does the work of a submit, unless a fault is known. Returns whether it was done. */
  send: (work: () => Promise<unknown>) => Promise<boolean>;
  /** Shows what something else than a submit was refused for. */
  fail: (thrown: unknown) => void;
  /** Forgets what was refused. */
  clear: () => void;
  /** Leads to the first field that needs attention. */
  attend: () => void;
};

/** State of the fields other than their values. */
function useFields() {
  const [, changed] = useReducer((n: number) => n + 1, 0);
  const [marks] = useState(() => ({
    shown: new Map<string, number>(),
    typed: new Set<string>(),
    touched: new Set<string>(),
    settled: new Set<string>(),
  }));
  const register = useCallback(
    (name: string) => {
      marks.shown.set(name, (marks.shown.get(name) ?? 0) + 1);
      changed();
      return () => {
        const left = (marks.shown.get(name) ?? 1) - 1;
        if (left > 0) marks.shown.set(name, left);
        else marks.shown.delete(name);
        changed();
      };
    },
    [marks],
  );
  const typed = useCallback(
    (name: string) => {
      marks.typed.add(name);
      if (marks.settled.has(name)) return;
      marks.settled.add(name);
      changed();
    },
    [marks],
  );
  const blurred = useCallback(
    (name: string) => {
      if (!marks.typed.has(name) || marks.touched.has(name)) return;
      marks.touched.add(name);
      changed();
    },
    [marks],
  );
  return { marks, register, typed, blurred };
}

/**
 * The state of a form that is sent. A field shows what is wrong with it once somebody has typed in it and left it, or
 * once a submit was tried. A submit that is refused, by the browser or by the server, leads to the first field at
 * fault; what belongs to no field that is shown stands above them all.
 */
export function useForm({ faults = {}, advice = null, names, reveal }: FormOptions = {}): FormState {
  const id = useId();
  const element = useRef<HTMLFormElement>(null);
  const { marks, register, typed, blurred } = useFields();
  const [tried, setTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [lead, setLead] = useState(0);

  const shown = [...marks.shown.keys()];
  const own: Record<string, string> = {};
  const nowhere: Record<string, string> = {};
  for (const [name, text] of Object.entries(faults)) {
    if (!text) continue;
    const field = fieldFor(name, shown);
    if (field) own[field] ??= text;
    else nowhere[name] = text;
  }
  const refused = assignFaults(problem, shown, names);
  const advised = assignFaults(advice, shown, names);
  const ripe = (name: string) => tried || marks.touched.has(name);
  const kept = (at: Record<string, string>, keep: (name: string) => boolean) =>
    Object.fromEntries(Object.entries(at).filter(([name]) => keep(name)));
  const errors = mergeFaults(
    kept({ ...advised.at, ...own }, ripe),
    kept(refused.at, (name) => !marks.settled.has(name) && !own[name]),
  );
  const left = refused.left ?? (tried ? (asProblem(nowhere) ?? advised.left) : null);
  const wrong = tried || problem ? Object.keys(errors).length : 0;

  const written = JSON.stringify(errors);
  const scope = useMemo(
    () => ({ errors: JSON.parse(written) as Record<string, string>, register, typed, blurred }),
    [written, register, typed, blurred],
  );

  const now = useRef({ faults, reveal, at: [] as string[] });
  now.current = {
    faults,
    reveal,
    at: [
      ...Object.keys(faults).filter((name) => faults[name]),
      ...((problem ?? advice)?.fields.map((one) => plainName(one.field)) ?? []),
    ],
  };
  useEffect(() => {
    if (lead === 0) return;
    now.current.reveal?.(now.current.at);
    leadToFault(element.current);
  }, [lead]);

  const attend = useCallback(() => {
    setTried(true);
    setLead((n) => n + 1);
  }, []);
  const fail = useCallback(
    (thrown: unknown) => {
      marks.settled.clear();
      setProblem(toProblem(thrown));
      setLead((n) => n + 1);
    },
    [marks],
  );
  const clear = useCallback(() => setProblem(null), []);
  const send = useCallback(
    async (work: () => Promise<unknown>) => {
      marks.settled.clear();
      setProblem(null);
      setTried(true);
      if (Object.values(now.current.faults).some(Boolean)) {
        setLead((n) => n + 1);
        return false;
      }
      setBusy(true);
      try {
        await work();
        marks.typed.clear();
        marks.touched.clear();
        setTried(false);
        return true;
      } catch (error) {
        fail(error);
        return false;
      } finally {
        setBusy(false);
      }
    },
    [marks, fail],
  );
  return { id, element, scope, busy, problem, left, wrong, send, fail, clear, attend };
}
