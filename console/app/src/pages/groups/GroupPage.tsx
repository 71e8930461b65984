import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { remove } from "@/api/client";
import { useGet } from "@/api/query";
import type { Schema } from "@/api/types";
import { useSession } from "@/session/session";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Confirm } from "@/ui/Confirm";
import { ErrorState } from "@/ui/ErrorState";
import { count } from "@/ui/format";
import { KeyValue } from "@/ui/KeyValue";
import { ButtonLink, Link } from "@/ui/Link";
import { PageHeader } from "@/ui/PageHeader";
import { Section } from "@/ui/Section";
import { SkeletonText } from "@/ui/Skeleton";
import { Time } from "@/ui/Time";
import { useToast } from "@/ui/Toast";
import { useLanguage, useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { Executors } from "./Executors";
import { EditGroupDialog } from "./GroupDialog";
import { Rewrites } from "./Rewrites";
import { Tokens } from "./Tokens";
import { groupWords } from "./words";

/** One group: its executors, its tokens, and where its executors really are. */
export function GroupPage() {
  const { key } = useParams({ from: "/shell/groups/$ns/$key" });
  const t = useWords(groupWords);
  const [asked, setAsked] = useState<"edit" | "delete" | null>(null);
  const { whyNot, may } = useSession();
  const {
    data: group,
    error,
    refetch,
  } = useGet("/groups/{group}", { path: { group: key } }, { refetchInterval: 10_000 });
  const crumbs = [
    <Link key="all" to="/groups">
      {t("title")}
    </Link>,
  ];
  if (!group) {
    return (
      <>
        <PageHeader title={key} crumbs={crumbs} />
        {error ? (
          <ErrorState problem={error} onRetry={() => void refetch()} />
        ) : (
          <div aria-busy="true">
            <SkeletonText lines={8} />
          </div>
        )}
      </>
    );
  }
  const own = whyNot("own", group.namespace, key);
  return (
    <>
      <PageHeader
        title={key}
        crumbs={crumbs}
        text={group.title}
        badges={group.own_token_only && <Badge>{t("ownToken")}</Badge>}
        actions={
          !own && (
            <>
              <Button look="dangerPlain" icon={Trash2} onClick={() => setAsked("delete")}>
                {t("deleteGroup")}
              </Button>
              <Button icon={Pencil} onClick={() => setAsked("edit")}>
                {t("editGroup")}
              </Button>
            </>
          )
        }
      />
      <div className="flex flex-col gap-4">
        <Facts group={group} />
        <Executors namespace={group.namespace} group={key} />
        {may("own", group.namespace, key) ? (
          <Tokens group={key} />
        ) : (
          <Section title={t("tokens")}>
            <p className="text-soft">{t("needsOwn")}</p>
          </Section>
        )}
        <Rewrites group={key} mayEdit={!own} />
      </div>
      {asked === "edit" && <EditGroupDialog group={group} onClose={() => setAsked(null)} />}
      <DeleteGroup group={group} open={asked === "delete"} onClose={() => setAsked(null)} />
    </>
  );
}

function Facts({ group }: { group: Schema<"GroupFigures"> }) {
  const t = useWords(groupWords);
  const shared = useWords(sharedWords);
  const [language] = useLanguage();
  const number = (value: number) => <span className="tabular-nums">{count(value, language)}</span>;
  return (
    <Section
      title={t("about")}
      actions={
        <ButtonLink
          size="small"
          to="/runs"
          search={{ group: group.key, state: ["planned", "queued", "waiting_retry"] } as never}
        >
          {t("waitingRuns")}
        </ButtonLink>
      }
    >
      <KeyValue
        columns={2}
        items={[
          [shared("namespace"), group.namespace],
          [shared("created"), <Time key="created" at={group.created_at} />],
          [t("alive"), t("aliveOf", { alive: count(group.alive, language), all: count(group.executors, language) })],
          [t("draining"), group.draining > 0 ? number(group.draining) : undefined],
          [
            t("jobs"),
            <Link key="jobs" to="/jobs" search={{ group: group.key } as never}>
              {number(group.jobs)}
            </Link>,
          ],
          [t("running"), number(group.running)],
          [t("waiting"), number(group.waiting)],
        ]}
      />
    </Section>
  );
}

function DeleteGroup({ group, open, onClose }: { group: Schema<"GroupFigures">; open: boolean; onClose: () => void }) {
  const t = useWords(groupWords);
  const [language] = useLanguage();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  return (
    <Confirm
      open={open}
      onClose={onClose}
      danger
      title={t("deleteGroup")}
      text={t("deleteText", { key: group.key })}
      action={t("deleteGroup")}
      typed={group.key}
      onConfirm={async () => {
        await remove("/groups/{group}", { path: { group: group.key }, query: { namespace: group.namespace } });
        void queries.invalidateQueries({ queryKey: ["/groups"] });
        toast.done(t("deleted", { key: group.key }));
        void navigate({ to: "/groups" });
      }}
    >
      {group.jobs + group.alive + group.waiting > 0 && (
        <p className="text-soft">
          {t("deleteHas", {
            jobs: count(group.jobs, language),
            alive: count(group.alive, language),
            waiting: count(group.waiting, language),
          })}
        </p>
      )}
    </Confirm>
  );
}
