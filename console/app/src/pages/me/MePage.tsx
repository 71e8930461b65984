import { KeyRound, ShieldOff } from "lucide-react";
import { useState } from "react";
import { useGet } from "@/api/query";
import { GrantWhere, RoleBadge } from "@/pages/users/GrantWhere";
import { all, textOfGrant } from "@/pages/users/grants";
import { OwnSessions } from "@/pages/users/Sessions";
import { OwnTokens } from "@/pages/users/Tokens";
import { userWords } from "@/pages/users/words";
import { type Grant, rightsOf } from "@/session/rights";
import { useSession } from "@/session/session";
import { setTheme, type ThemeWish, useTheme } from "@/shell/theme";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Empty } from "@/ui/Empty";
import { Field } from "@/ui/Field";
import { offset, zone } from "@/ui/format";
import { KeyValue } from "@/ui/KeyValue";
import { ButtonLink } from "@/ui/Link";
import { PageHeader } from "@/ui/PageHeader";
import { Section } from "@/ui/Section";
import { Segmented } from "@/ui/Segmented";
import { Table } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { useToast } from "@/ui/Toast";
import { languageNames, languages, useLanguage, useWords } from "@/words";
import { roleWords } from "@/words/shared";
import { ChangePassword } from "../sign-in/ChangePassword";
import { meWords } from "./words";

/** Who is signed in: the account, how the console looks, the rights, sessions and tokens. */
export function MePage() {
  const t = useWords(meWords);
  const { me } = useSession();
  const person = me.kind === "user";
  return (
    <>
      <PageHeader title={t("title")} />
      <div className="flex flex-col gap-4">
        <div className="grid items-stretch gap-4 lg:grid-cols-2">
          <Profile />
          <Display />
        </div>
        <Rights />
        {person && <OwnSessions />}
        {me.kind !== "system" && <OwnTokens name={me.name} />}
      </div>
    </>
  );
}

function Profile() {
  const t = useWords(meWords);
  const { me, may } = useSession();
  const toast = useToast();
  const [changing, setChanging] = useState(false);
  const { data: who } = useGet("/session");
  const session = who?.session;
  const admin = may("admin", all, all) && me.kind === "user";
  return (
    <Section
      title={t("profile")}
      actions={
        admin && (
          <ButtonLink to="/users/$name" params={{ name: me.name }} size="small">
            {t("edit")}
          </ButtonLink>
        )
      }
    >
      <div className="flex flex-col gap-4">
        <KeyValue
          items={[
            [t("name"), <b key="name">{me.name}</b>],
            [t("kind"), t(me.kind)],
            [t("signedIn"), session && <Time key="in" at={session.created_at} />],
            [t("ends"), session && <Time key="ends" at={session.ends_at} />],
          ]}
        />
        {!admin && <p className="text-faint text-xs">{t("editHelp")}</p>}
        {session?.way === "password" && (
          <div className="flex flex-wrap items-center gap-3 border-t pt-3">
            <Button icon={KeyRound} onClick={() => setChanging(true)}>
              {t("change")}
            </Button>
            <span className="text-faint text-xs">{t("passwordText")}</span>
          </div>
        )}
        {session?.way === "oidc" && <p className="border-t pt-3 text-soft">{t("atProvider")}</p>}
      </div>
      <Dialog
        open={changing}
        onClose={() => setChanging(false)}
        size="small"
        title={t("change")}
        text={t("passwordText")}
      >
        <div className="pb-3">
          <ChangePassword
            own
            onDone={() => {
              setChanging(false);
              toast.done(t("changed"));
            }}
          />
        </div>
      </Dialog>
    </Section>
  );
}

function Display() {
  const t = useWords(meWords);
  const [language, setLanguage] = useLanguage();
  const [, wish] = useTheme();
  return (
    <Section title={t("display")} text={t("displayText")}>
      <div className="flex flex-col gap-4">
        <Field label={t("theme")} group>
          <Segmented<ThemeWish>
            label={t("theme")}
            value={wish}
            onChange={setTheme}
            className="self-start"
            options={[
              { value: "system", label: t("asSystem") },
              { value: "light", label: t("light") },
              { value: "dark", label: t("dark") },
            ]}
          />
        </Field>
        <Field label={t("language")} group>
          <Segmented
            label={t("language")}
            value={language}
            onChange={setLanguage}
            className="self-start"
            options={languages.map((value) => ({ value, label: <span lang={value}>{languageNames[value]}</span> }))}
          />
        </Field>
        <div>
          <p className="font-medium text-sm">{t("zone")}</p>
          <p className="text-sm">{`${zone}, ${offset(Date.now())}`}</p>
          <p className="text-faint text-xs">{t("zoneHelp")}</p>
        </div>
      </div>
    </Section>
  );
}

function Rights() {
  const t = useWords(meWords);
  const users = useWords(userWords);
  const right = useWords(roleWords);
  const { me } = useSession();
  const may = (grant: Grant) => rightsOf[grant.role].map((one) => right(one)).join(", ");
  return (
    <Section title={t("rights")} text={t("rightsText")} flush>
      <Table
        label={t("rights")}
        columns={[
          { id: "role", title: t("role"), cell: (one) => <RoleBadge role={one.role} />, fixed: true, width: "9rem" },
          { id: "where", title: t("where"), cell: (one) => <GrantWhere grant={one} /> },
          {
            id: "may",
            title: t("may"),
            cell: (one) => (
              <span className="block min-w-48 py-1" title={users(one.role)}>
                {may(one)}
              </span>
            ),
          },
        ]}
        rows={me.grants}
        rowKey={textOfGrant}
        empty={
          <Empty icon={ShieldOff} title={t("none")}>
            {t("noneText")}
          </Empty>
        }
      />
    </Section>
  );
}
