type Definition = { namespace?: string; key: string };

/** The identity of a definition among all namespaces. */
export const definitionId = (one: Definition) => `${one.namespace ?? "default"}/${one.key}`;

/** The search parameters that name a definition: with its namespace where all are shown. */
export function naming(one: Definition, shown: string): { edit: string; in?: string } {
  return { edit: one.key, in: shown === "" ? one.namespace : undefined };
}

/** The definition that search parameters name; without a namespace it is one of the shown, or of the default one. */
export function named<T extends Definition>(
  all: readonly T[] | undefined,
  key: string | undefined,
  space: string | undefined,
  shown: string,
): T | undefined {
  if (!key) return undefined;
  const at = space ?? (shown || "default");
  return all?.find((one) => one.key === key && (one.namespace ?? "default") === at);
}

/** The namespaces to make something in: the one that is shown, or the default one and all that are known, as far as allowed. */
export function spacesFor(shown: string, known: readonly string[], allowed: (space: string) => boolean): string[] {
  const all = shown ? [shown] : ["default", ...known.filter((one) => one !== "default")];
  return all.filter(allowed);
}
