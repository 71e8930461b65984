import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useCallback, useContext, useMemo } from "react";
import { get, remove } from "@/api/client";
import type { Problem } from "@/api/problem";
import { keyOf } from "@/api/query";
import type { Schema } from "@/api/types";
import { useWords } from "@/words";
import { roleWords, sharedWords } from "@/words/shared";
import { allows, type Right } from "./rights";

export type Me = Schema<"Me">;

/** How who calls is read; the router asks before it shows a page. */
export const meQuery = {
  queryKey: keyOf("/me"),
  queryFn: () => get("/me"),
  staleTime: 60_000,
};

export type Session = {
  me: Me;
  /** Whether the user may do something in a namespace and group; without a place, anywhere. */
  may: (right: Right, namespace?: string, group?: string) => boolean;
  /** Why not, in words; undefined when it is allowed. For the `reason` of buttons. */
  whyNot: (right: Right, namespace?: string, group?: string) => string | undefined;
  signOut: () => Promise<void>;
};

const Context = createContext<Session | null>(null);

/** Who is signed in. Only within the shell: everybody there is known. */
export function useSession(): Session {
  const session = useContext(Context);
  if (!session) throw new Error("useSession is used outside of the shell");
  return session;
}

/** Provides the session to its children. */
export function SessionProvider({ children, waiting }: { children: ReactNode; waiting: ReactNode }) {
  const { data: me } = useQuery<Me, Problem>(meQuery);
  const queries = useQueryClient();
  const shared = useWords(sharedWords);
  const roles = useWords(roleWords);
  const signOut = useCallback(async () => {
    await remove("/session");
    queries.clear();
  }, [queries]);
  const session = useMemo<Session | null>(() => {
    if (!me) return null;
    const may: Session["may"] = (right, namespace, group) => allows(me, right, namespace, group);
    return {
      me,
      may,
      whyNot: (right, namespace, group) =>
        may(right, namespace, group) ? undefined : shared("notAllowed", { right: roles(right) }),
      signOut,
    };
  }, [me, shared, roles, signOut]);
  if (!session) return waiting;
  return <Context.Provider value={session}>{children}</Context.Provider>;
}
