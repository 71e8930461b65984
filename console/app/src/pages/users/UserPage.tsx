import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { Ban, CircleCheck, KeyRound, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { getTagged, post } from "@/api/client";
import { toProblem } from "@/api/problem";
import { keyOf } from "@/api/query";
import { useSession } from "@/session/session";
import { ProblemPage } from "@/shell/pages";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Confirm } from "@/ui/Confirm";
import { KeyValue } from "@/ui/KeyValue";
import { Link } from "@/ui/Link";
import { PageHeader } from "@/ui/PageHeader";
import { Section } from "@/ui/Section";
import { SkeletonText } from "@/ui/Skeleton";
import { Time } from "@/ui/Time";
import { useToast } from "@/ui/Toast";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { grantsChanged } from "./Grants";
import { GiveGrant, GrantTable } from "./GrantTable";
import type { User } from "./people";
import { SessionsOf } from "./Sessions";
import { TokensOf } from "./Tokens";
import { DeleteUser, EditUser, SetPassword } from "./UserDialogs";
import { UserState } from "./UserList";
import { userWords } from "./words";

type Asked = "edit" | "password" | "disable" | "delete";

/** One user: the account, what was granted, where it is signed in, and its tokens. */
export function UserPage() {
  const t = useWords(userWords);
  const { name } = useParams({ from: "/shell/users/$name" });
  const navigate = useNavigate();
  const queries = useQueryClient();
  const toast = useToast();
  const [asked, setAsked] = useState<Asked | null>(null);
  const path = { path: { name } };
  const answer = useQuery({
    queryKey: keyOf("/users/{name}", path),
    queryFn: ({ signal }) => getTagged("/users/{name}", { ...path, signal }),
  });
  const user = answer.data?.data;
  if (!user && answer.error) {
    return <ProblemPage problem={toProblem(answer.error)} onRetry={() => void answer.refetch()} />;
  }
  const close = () => setAsked(null);
  const turn = async (to: "enable" | "disable") => {
    await post(`/users/{name}/${to}`, path);
    await grantsChanged(queries);
    toast.done(t(to === "enable" ? "wasEnabled" : "wasDisabled", { name }));
  };
  return (
    <>
      <PageHeader
        title={name}
        crumbs={[
          <Link key="all" to="/users">
            {t("title")}
          </Link>,
        ]}
        text={user?.title}
        badges={user && <UserBadges user={user} />}
        actions={
          user && <Actions user={user} onAsk={setAsked} onEnable={() => void turn("enable").catch(toast.failed)} />
        }
      />
      <div className="flex flex-col gap-4">
        <div className="grid items-start gap-4 lg:grid-cols-[minmax(18rem,24rem)_1fr]">
          <Section title={t("account")}>{user ? <Account user={user} /> : <SkeletonText lines={6} />}</Section>
          <Section
            title={t("grants")}
            text={t("grantText")}
            actions={<GiveGrant user={name} onChanged={() => grantsChanged(queries)} />}
            flush
          >
            <GrantTable
              grants={
                user && [
                  ...user.grants.map((grant) => ({ user: name, ...grant })),
                  ...(user.provided ?? []).map((grant) => ({ user: name, ...grant, provided: true })),
                ]
              }
              onChanged={() => grantsChanged(queries)}
            />
          </Section>
        </div>
        <TokensOf name={name} />
        {user?.kind === "user" && <SessionsOf name={name} />}
      </div>
      {user && asked === "edit" && <EditUser user={user} etag={answer.data?.etag ?? ""} onClose={close} />}
      {user && asked === "password" && <SetPassword user={user} onClose={close} />}
      {user && asked === "delete" && (
        <DeleteUser
          user={user}
          onClose={close}
          onGone={() => {
            for (const key of ["/users", "/grants"]) void queries.invalidateQueries({ queryKey: [key] });
            void navigate({ to: "/users" });
          }}
        />
      )}
      <Confirm
        open={asked === "disable"}
        onClose={close}
        title={t("disableTitle", { name })}
        text={t("disableText")}
        action={t("disable")}
        danger
        onConfirm={() => turn("disable")}
      />
    </>
  );
}

function UserBadges({ user }: { user: User }) {
  const t = useWords(userWords);
  const { me } = useSession();
  return (
    <>
      <UserState user={user} />
      {user.kind === "service" && <Badge tone="busy">{t("service")}</Badge>}
      {user.external && <Badge title={t("externalHelp")}>{t("external")}</Badge>}
      {user.name === me.name && <Badge>{t("you")}</Badge>}
    </>
  );
}

function Actions({ user, onAsk, onEnable }: { user: User; onAsk: (asked: Asked) => void; onEnable: () => void }) {
  const t = useWords(userWords);
  const shared = useWords(sharedWords);
  const { me } = useSession();
  const self = user.name === me.name ? t("notYourself") : undefined;
  return (
    <>
      <Button look="dangerPlain" icon={Trash2} reason={self} onClick={() => onAsk("delete")}>
        {shared("delete")}
      </Button>
      {user.disabled ? (
        <Button icon={CircleCheck} onClick={onEnable}>
          {t("enable")}
        </Button>
      ) : (
        <Button icon={Ban} reason={self} onClick={() => onAsk("disable")}>
          {t("disable")}
        </Button>
      )}
      {user.kind === "user" && !user.external && (
        <Button icon={KeyRound} reason={self} onClick={() => onAsk("password")}>
          {t("reset")}
        </Button>
      )}
      <Button look="main" icon={Pencil} onClick={() => onAsk("edit")}>
        {shared("edit")}
      </Button>
    </>
  );
}

function Account({ user }: { user: User }) {
  const t = useWords(userWords);
  const shared = useWords(sharedWords);
  const way = user.kind === "service" ? "byToken" : user.external ? "byProvider" : "byPassword";
  return (
    <KeyValue
      items={[
        [t("fullName"), user.title],
        [t("email"), user.email],
        [t("kind"), t(user.kind)],
        [t("identity"), t(way)],
        [t("seen"), user.seen_at ? <Time key="seen" at={user.seen_at} /> : t("neverSeen")],
        [shared("created"), <Time key="created" at={user.created_at} />],
        [shared("updated"), <Time key="updated" at={user.updated_at} />],
      ]}
    />
  );
}
