import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import { useGet } from "@/api/query";
import { type Right, spaceOf } from "@/session/rights";
import { useSession } from "@/session/session";
import { areMany } from "./many";

/**
 * The namespace that pages show, from the address bar (`ns`). Empty is all of them, where the API can list all;
 * `of` is the one to ask for where it must be one.
 */
export function useNamespace(): { namespace: string; of: string; setNamespace: (namespace: string) => void } {
  const search = useSearch({ strict: false }) as { ns?: string };
  const navigate = useNavigate();
  const namespace = search.ns ?? "";
  const setNamespace = useCallback(
    (next: string) => {
      void navigate({ to: ".", search: (before: object) => ({ ...before, ns: next || undefined }) } as never);
    },
    [navigate],
  );
  return { namespace, of: namespace || "default", setNamespace };
}

/** The namespace in which something is made that takes a right: the one that is shown, or one where the user has it. */
export function useSpaceFor(right: Right): string {
  const { namespace } = useNamespace();
  const { me } = useSession();
  return namespace || spaceOf(me, right);
}

/** How many namespaces there are is asked for again after this, in ms. */
const spacesFor = 60_000;

/**
 * Whether things of several namespaces are looked at, so that each has to be told with its own: all are shown, and
 * there are others than one. `rows` are what is shown, which may know of one that has just come.
 */
export function useManySpaces(rows?: readonly { namespace?: string }[]): boolean {
  const { namespace } = useNamespace();
  const { data } = useGet("/namespaces", {}, { staleTime: spacesFor });
  return namespace === "" && areMany(data?.namespaces.length ?? 0, rows);
}

/** What list operations take for all namespaces that the caller may see. */
export const everySpace = "*";

/** The search parameters that lead from a list to what lies in a namespace: the one that is shown stays. */
export function inSpace(shown: string, namespace: string): { ns?: string } {
  return { ns: shown || (namespace === "default" ? undefined : namespace) };
}
