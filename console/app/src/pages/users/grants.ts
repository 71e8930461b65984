import { type Grant, type Right, rightsOf } from "@/session/rights";

/** The roles, the weakest first. */
export const roles = ["viewer", "operator", "editor", "scripter", "owner", "admin"] as const;
export type RoleName = (typeof roles)[number];

/** The rights, in the order of the matrix. */
export const rights: readonly Right[] = ["view", "operate", "edit", "script", "own", "admin"];

/** All of a kind of place. */
export const all = "*";

/** A grant as the command line writes it: role@namespace/group, without the parts that are all. */
export function textOfGrant(grant: Grant): string {
  if (grant.namespace === all) return grant.role;
  return `${grant.role}@${grant.namespace}${grant.group === all ? "" : `/${grant.group}`}`;
}

/** Whether two grants are one. */
export const sameGrant = (a: Grant, b: Grant) => textOfGrant(a) === textOfGrant(b);

type May = (right: Right, namespace: string, group: string) => boolean;

/**
 * Whether somebody may give a grant, and take it: owners work with the roles up to their own, administrators
 * with all, and nobody gives what he has not. It only spares people buttons: the server decides.
 */
export function mayGive(may: May, { role, namespace, group }: Grant): boolean {
  const giving: Right = role === "admin" || role === "scripter" ? "admin" : "own";
  return [giving, ...rightsOf[role]].every((right) => may(right, namespace, group));
}

/** The rights that grants give in a place, in order. */
export function rightsIn(grants: readonly Grant[], namespace: string, group: string): Right[] {
  const here = grants.filter(
    (grant) =>
      (grant.namespace === all || grant.namespace === namespace) && (grant.group === all || grant.group === group),
  );
  return rights.filter((right) => here.some((grant) => rightsOf[grant.role].includes(right)));
}
