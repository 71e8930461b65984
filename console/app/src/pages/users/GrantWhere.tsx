import type { Grant } from "@/session/rights";
import { Badge } from "@/ui/Badge";
import { type Translate, useWords } from "@/words";
import { roleWords } from "@/words/shared";
import { all } from "./grants";
import { userWords } from "./words";

/** The name of a role. */
export function RoleBadge({ role }: { role: Grant["role"] }) {
  const t = useWords(roleWords);
  return <Badge tone={role === "admin" ? "odd" : role === "viewer" ? "idle" : "accent"}>{t(roleWord(role))}</Badge>;
}

/** The word of a role among those of rights and roles: "admin" is the right. */
export function roleWord(role: Grant["role"]) {
  return role === "admin" ? ("administrator" as const) : role;
}

/** Where a grant counts, in words. */
export function whereOf(
  t: Translate<keyof (typeof userWords)["entries"] & string>,
  { namespace, group }: Grant,
): string {
  if (namespace === all) return t("anywhere");
  return group === all ? t("inNamespace", { namespace }) : t("inGroup", { namespace, group });
}

/** Where a grant counts; with its role before it, when asked. */
export function GrantWhere({ grant, withRole }: { grant: Grant; withRole?: boolean }) {
  const t = useWords(userWords);
  return (
    <span className="inline-flex min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5">
      {withRole && <RoleBadge role={grant.role} />}
      <span className="min-w-0 break-words text-sm">{whereOf(t, grant)}</span>
    </span>
  );
}
