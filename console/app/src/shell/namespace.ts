import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";

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

/** What list operations take for all namespaces that the caller may see. */
export const everySpace = "*";

/** The search parameters that lead from a list to what lies in a namespace: the one that is shown stays. */
export function inSpace(shown: string, namespace: string): { ns?: string } {
  return { ns: shown || (namespace === "default" ? undefined : namespace) };
}
