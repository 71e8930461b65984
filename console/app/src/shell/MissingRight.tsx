import { LockKeyhole } from "lucide-react";
import type { ReactNode } from "react";
import type { Right } from "@/session/rights";
import { Empty } from "@/ui/Empty";
import { PageHeader } from "@/ui/PageHeader";
import { Section } from "@/ui/Section";
import { useWords, words } from "@/words";
import { roleWords, sharedWords } from "@/words/shared";

const barredWords = words("barred", {
  admin: ["Only administrators of the server see this", "只有服务器管理员可以查看", "只有伺服器管理員可以檢視"],
  adminText: [
    "Ask somebody with the role admin on the whole server.",
    "请联系拥有整个服务器管理员角色的人。",
    "請聯絡擁有整個伺服器管理員角色的人。",
  ],
  text: [
    "Ask who owns this namespace or group for a role that has it.",
    "请向此命名空间或组的所有者申请包含此权限的角色。",
    "請向此命名空間或群組的擁有者申請包含此權限的角色。",
  ],
});

/** Replaces a page for which the user lacks the right. It names the right and sends no request. */
export function MissingRight({ title, crumbs, right }: { title: string; crumbs?: ReactNode[]; right: Right }) {
  const t = useWords(barredWords);
  const shared = useWords(sharedWords);
  const roles = useWords(roleWords);
  const admin = right === "admin";
  return (
    <>
      <PageHeader title={title} crumbs={crumbs} />
      <Section>
        <Empty icon={LockKeyhole} title={admin ? t("admin") : shared("notAllowed", { right: roles(right) })}>
          {t(admin ? "adminText" : "text")}
        </Empty>
      </Section>
    </>
  );
}
