import { useState } from "react";
import { useGet } from "@/api/query";
import type { Right } from "@/session/rights";
import { useSession } from "@/session/session";
import { spacesFor } from "./spaces";

/** Where something new can be made, and where it is to be. */
export type Creation = {
  /** The namespaces in which the user may make it; the one that is shown, or all. */
  spaces: string[];
  /** The one that was chosen. */
  chosen: string | undefined;
  /** That, or else the first to be offered; undefined where nothing may be made. */
  space: string | undefined;
  choose: (space: string) => void;
  /** Forgets what was chosen. */
  forget: () => void;
};

/** Where something can be made that needs a right on a whole namespace; `shown` is empty for all. */
export function useCreation(right: Right, shown: string): Creation {
  const { may } = useSession();
  const { data } = useGet("/namespaces", {}, { staleTime: 60_000, enabled: shown === "" });
  const [chosen, choose] = useState<string>();
  const known = data?.namespaces.map((one) => one.name) ?? [];
  const spaces = spacesFor(shown, known, (space) => may(right, space, "*"));
  return {
    spaces,
    chosen,
    space: chosen ?? spaces[0],
    choose,
    forget: () => choose(undefined),
  };
}
