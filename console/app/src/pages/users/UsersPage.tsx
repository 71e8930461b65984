import { useNavigate, useSearch } from "@tanstack/react-router";
import { UserPlus } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useSession } from "@/session/session";
import { Button } from "@/ui/Button";
import { PageHeader } from "@/ui/PageHeader";
import { Tabs } from "@/ui/Tabs";
import { useWords } from "@/words";
import { AllTokens } from "./AllTokens";
import { CreateUser } from "./CreateUser";
import { Grants } from "./Grants";
import { all } from "./grants";
import { RolesMatrix } from "./RolesMatrix";
import type { UserSearch, userTabs } from "./route";
import { UserList } from "./UserList";
import { userWords } from "./words";

type TabName = (typeof userTabs)[number];

/** Who may come in and what they may do. Owners see the grants where they are owners, administrators everything. */
export function UsersPage() {
  const t = useWords(userWords);
  const search = useSearch({ from: "/shell/users" });
  const navigate = useNavigate();
  const { may } = useSession();
  const [making, setMaking] = useState(false);
  const admin = may("admin", all, all);
  const owns = may("own");
  const tabs: { value: TabName; label: string; content: ReactNode }[] = [
    ...(admin
      ? [{ value: "users" as const, label: t("users"), content: <UserList onCreate={() => setMaking(true)} /> }]
      : []),
    ...(owns ? [{ value: "grants" as const, label: t("grants"), content: <Grants /> }] : []),
    ...(admin ? [{ value: "tokens" as const, label: t("tokens"), content: <AllTokens /> }] : []),
    { value: "roles", label: t("roles"), content: <RolesMatrix /> },
  ];
  const first = tabs[0]?.value;
  const tab = tabs.some((one) => one.value === search.tab) ? search.tab : first;
  return (
    <>
      <PageHeader
        title={t("title")}
        text={t(admin ? "text" : owns ? "textOwner" : "rolesText")}
        actions={
          admin && (
            <Button look="main" icon={UserPlus} onClick={() => setMaking(true)}>
              {t("create")}
            </Button>
          )
        }
      />
      <Tabs
        label={t("title")}
        value={tab ?? "roles"}
        onChange={(next) =>
          void navigate({ to: "/users", search: { tab: next === first ? undefined : next } as UserSearch })
        }
        tabs={tabs}
      />
      {making && <CreateUser onClose={() => setMaking(false)} />}
    </>
  );
}
