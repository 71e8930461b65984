import type { Schema } from "@/api/types";

export type Grant = Schema<"Grant">;

/** The rights, as package access has them. */
export type Right = "view" | "operate" | "edit" | "script" | "own" | "admin";

/** What each role may do. */
export const rightsOf: Record<Grant["role"], readonly Right[]> = {
  viewer: ["view"],
  operator: ["view", "operate"],
  editor: ["view", "operate", "edit"],
  scripter: ["script"],
  owner: ["view", "operate", "edit", "own"],
  admin: ["view", "operate", "edit", "script", "own", "admin"],
};

/** Whether grants give a right in a namespace and group. Without a place: anywhere at all. */
export function grantsGive(grants: readonly Grant[], right: Right, namespace?: string, group?: string): boolean {
  return grants.some(
    (grant) =>
      rightsOf[grant.role]?.includes(right) &&
      (namespace === undefined || grant.namespace === "*" || grant.namespace === namespace) &&
      (group === undefined || grant.group === "*" || grant.group === group),
  );
}

/** Who calls, as far as rights go: a token's limits narrow what was granted. */
export type Bearer = { grants: readonly Grant[]; limits?: readonly Grant[] | null };

/**
 * Whether somebody may do something in a namespace and group. It only spares people buttons that do nothing:
 * the server decides.
 */
export function allows(who: Bearer, right: Right, namespace?: string, group?: string): boolean {
  if (!grantsGive(who.grants, right, namespace, group)) return false;
  return !who.limits || grantsGive(who.limits, right, namespace, group);
}

/** The namespace in which the user has a right: the default one, or else the first of the grants. */
export function spaceOf(who: Bearer, right: Right): string {
  const named = [...who.grants, ...(who.limits ?? [])].map((grant) => grant.namespace).filter((one) => one !== "*");
  return ["default", ...named.sort()].find((one) => allows(who, right, one)) ?? "default";
}
