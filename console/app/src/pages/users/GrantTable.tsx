import { Plus, ShieldOff, Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { post, remove } from "@/api/client";
import type { Problem } from "@/api/problem";
import type { Schema } from "@/api/types";
import type { Grant } from "@/session/rights";
import { useSession } from "@/session/session";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Combobox } from "@/ui/Combobox";
import { Confirm } from "@/ui/Confirm";
import { Dialog } from "@/ui/Dialog";
import { Empty } from "@/ui/Empty";
import { Field } from "@/ui/Field";
import { Form, Submit } from "@/ui/form/Form";
import { useForm } from "@/ui/form/useForm";
import { useNeeded } from "@/ui/form/useNeeded";
import { IconButton } from "@/ui/IconButton";
import { Link } from "@/ui/Link";
import { type Column, Table } from "@/ui/Table";
import { useToast } from "@/ui/Toast";
import { useWords } from "@/words";
import { roleWords, sharedWords } from "@/words/shared";
import { GrantFields } from "./GrantFields";
import { GrantWhere, RoleBadge, roleWord, whereOf } from "./GrantWhere";
import { all, mayGive, roles, textOfGrant } from "./grants";
import { userWords } from "./words";

export type Held = Schema<"HeldGrant">;

/** The grants of one user or of many, each with the way to take it where that is allowed. */
export function GrantTable({
  grants,
  withUser,
  problem,
  onRetry,
  onChanged,
  hasMore,
  onMore,
  loadingMore,
  empty,
}: {
  grants: readonly Held[] | undefined;
  /** Shows whose they are. */
  withUser?: boolean;
  problem?: Problem | null;
  onRetry?: () => void;
  onChanged: () => Promise<unknown>;
  hasMore?: boolean;
  onMore?: () => void;
  loadingMore?: boolean;
  empty?: ReactNode;
}) {
  const t = useWords(userWords);
  const role = useWords(roleWords);
  const { may } = useSession();
  const toast = useToast();
  const [taking, setTaking] = useState<Held | null>(null);
  const admin = may("admin", all, all);
  const whose: Column<Held>[] = withUser
    ? [
        {
          id: "user",
          title: t("name"),
          fixed: true,
          cell: (one) =>
            admin ? (
              <Link to="/users/$name" params={{ name: one.user }}>
                {one.user}
              </Link>
            ) : (
              one.user
            ),
        },
      ]
    : [];
  const columns: Column<Held>[] = [
    ...whose,
    { id: "role", title: t("role"), cell: (one) => <RoleBadge role={one.role} />, fixed: true },
    { id: "where", title: t("where"), cell: (one) => <GrantWhere grant={one} /> },
    {
      id: "source",
      title: t("source"),
      cell: (one) =>
        one.provided ? (
          <Badge tone="busy" title={t("providedHelp")}>
            {t("provided")}
          </Badge>
        ) : (
          <span className="text-soft">{t("byHand")}</span>
        ),
    },
    {
      id: "take",
      title: "",
      align: "right",
      cell: (one) =>
        !one.provided && mayGive(may, one) ? (
          <IconButton
            icon={Trash2}
            size="small"
            label={`${t("take")}: ${withUser ? `${one.user} ` : ""}${textOfGrant(one)}`}
            onClick={() => setTaking(one)}
          />
        ) : null,
      width: "4rem",
    },
  ];
  const take = async () => {
    if (!taking) return;
    const { user, role: held, namespace, group } = taking;
    await remove("/grants", { query: { user, role: held, namespace, group } });
    await onChanged();
    toast.done(t("taken", { role: role(roleWord(held)), name: user }));
  };
  return (
    <>
      <Table
        label={t("grants")}
        columns={columns}
        rows={grants}
        rowKey={(one) => `${one.user} ${textOfGrant(one)} ${one.provided ? "provided" : ""}`}
        problem={problem}
        onRetry={onRetry}
        hasMore={hasMore}
        onMore={onMore}
        loadingMore={loadingMore}
        empty={
          empty ?? (
            <Empty icon={ShieldOff} title={t("noGrants")}>
              {t("noGrantsText")}
            </Empty>
          )
        }
      />
      {taking && (
        <Confirm
          open
          onClose={() => setTaking(null)}
          title={t("takeTitle", { role: role(roleWord(taking.role)), name: taking.user })}
          text={t("takeText", { where: whereOf(t, taking), name: taking.user })}
          action={t("take")}
          danger
          onConfirm={take}
        />
      )}
    </>
  );
}

/** Opens the dialog that grants a role: to one user, or to one that is named there. */
export function GiveGrant({
  user,
  users = [],
  onChanged,
}: {
  user?: string;
  /** The names to choose from, when no user is given. */
  users?: readonly string[];
  onChanged: () => Promise<unknown>;
}) {
  const t = useWords(userWords);
  const { me } = useSession();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        size={user ? "small" : "normal"}
        look={user ? "plain" : "main"}
        icon={Plus}
        reason={user === me.name ? t("notToYourself") : undefined}
        onClick={() => setOpen(true)}
      >
        {t("grant")}
      </Button>
      {open && <GiveDialog user={user} users={users} onChanged={onChanged} onClose={() => setOpen(false)} />}
    </>
  );
}

function GiveDialog({
  user,
  users,
  onChanged,
  onClose,
}: {
  user?: string;
  users: readonly string[];
  onChanged: () => Promise<unknown>;
  onClose: () => void;
}) {
  const t = useWords(userWords);
  const shared = useWords(sharedWords);
  const role = useWords(roleWords);
  const { me, may } = useSession();
  const toast = useToast();
  const admin = may("admin", all, all);
  const own = me.grants.find((one) => one.role === "owner" || one.role === "admin");
  const [name, setName] = useState(user ?? "");
  const [grant, setGrant] = useState<Grant>({
    role: "viewer",
    namespace: own && own.namespace !== all ? own.namespace : "default",
    group: own && own.namespace !== all ? own.group : all,
  });
  const needed = useNeeded();
  const form = useForm({ faults: { user: needed(name) } });
  const allowed = roles.filter((one) => admin || mayGive(may, { ...grant, role: one }));
  const refused = !mayGive(may, grant) ? t("mayNotGive") : name === me.name ? t("notToYourself") : undefined;
  const give = () =>
    form.send(async () => {
      await post("/grants", { body: { user: name, ...grant } });
      await onChanged();
      toast.done(t("granted", { role: role(roleWord(grant.role)), name }));
      onClose();
    });
  return (
    <Dialog
      open
      onClose={onClose}
      title={user ? t("grantTo", { name: user }) : t("grant")}
      text={t("grantText")}
      footer={
        <>
          <Button onClick={onClose}>{shared("cancel")}</Button>
          <Submit form={form} reason={refused}>
            {t("grant")}
          </Submit>
        </>
      }
    >
      <Form form={form} onSubmit={() => !refused && void give()} className="flex flex-col gap-3">
        {!user && (
          <Field name="user" label={t("name")} required>
            <Combobox value={name} onChange={setName} options={users.map((value) => ({ value, label: value }))} free />
          </Field>
        )}
        <GrantFields
          grant={grant}
          onChange={setGrant}
          allowed={allowed.includes(grant.role) ? allowed : [grant.role, ...allowed]}
          asFields
        />
      </Form>
    </Dialog>
  );
}
