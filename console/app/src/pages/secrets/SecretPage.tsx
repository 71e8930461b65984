import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { KeyRound, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { useGet } from "@/api/query";
import { useSession } from "@/session/session";
import { useNamespace } from "@/shell/namespace";
import { ProblemPage } from "@/shell/pages";
import { Button } from "@/ui/Button";
import { KeyValue } from "@/ui/KeyValue";
import { Link } from "@/ui/Link";
import { PageHeader } from "@/ui/PageHeader";
import { Section } from "@/ui/Section";
import { SkeletonText } from "@/ui/Skeleton";
import { Time } from "@/ui/Time";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { DeleteSecret, EditSecret, SetValue } from "./SecretDialogs";
import { SecretGroups } from "./SecretsPage";
import { HowToUse, SecretUses } from "./SecretUses";
import { keeps } from "./secret";
import { secretWords } from "./words";

/** One secret: what may be known of it, and what is done with it. */
export function SecretPage() {
  const t = useWords(secretWords);
  const shared = useWords(sharedWords);
  const { key } = useParams({ from: "/shell/secrets/$key" });
  const { of: namespace } = useNamespace();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { may } = useSession();
  const [asked, setAsked] = useState<"value" | "edit" | "delete" | null>(null);
  const query = { path: { key }, query: { namespace } };
  const answer = useGet("/secrets/{key}", query);
  const uses = useGet("/secrets/{key}/jobs", query, { enabled: answer.data !== undefined });
  const secret = answer.data;
  if (!secret && answer.error) {
    return <ProblemPage problem={answer.error} onRetry={() => void answer.refetch()} />;
  }
  const close = () => setAsked(null);
  const mine = secret && keeps(may, namespace, secret.groups);
  return (
    <>
      <PageHeader
        title={<span className="font-mono">{key}</span>}
        documentTitle={key}
        crumbs={[
          <Link key="all" to="/secrets" search={{}}>
            {t("title")}
          </Link>,
        ]}
        text={secret?.title}
        actions={
          mine && (
            <>
              <Button look="dangerPlain" icon={Trash2} onClick={() => setAsked("delete")}>
                {shared("delete")}
              </Button>
              <Button icon={Pencil} onClick={() => setAsked("edit")}>
                {shared("edit")}
              </Button>
              <Button look="main" icon={KeyRound} onClick={() => setAsked("value")}>
                {t("setValue")}
              </Button>
            </>
          )
        }
      />
      <div className="grid gap-4 lg:grid-cols-[1fr_minmax(20rem,26rem)]">
        <div className="flex min-w-0 flex-col gap-4">
          <SecretUses answer={uses} />
          <HowToUse secretKey={key} />
        </div>
        <Section title={t("about")} className="self-start">
          {secret ? (
            <KeyValue
              items={[
                [shared("namespace"), secret.namespace],
                [t("groups"), <SecretGroups key="groups" groups={secret.groups} />],
                [t("replaced"), <Time key="replaced" at={secret.replaced_at} />],
                [t("used"), secret.used_at ? <Time key="used" at={secret.used_at} /> : t("usedNever")],
                [shared("updated"), <When key="updated" at={secret.updated_at} by={secret.updated_by} />],
                [shared("created"), <When key="created" at={secret.created_at} by={secret.created_by} />],
                [
                  t("version"),
                  <span key="version" className="tabular-nums">
                    {secret.version}
                  </span>,
                ],
              ]}
            />
          ) : (
            <SkeletonText lines={6} />
          )}
        </Section>
      </div>
      {secret && asked === "value" && <SetValue secret={secret} onClose={close} />}
      {secret && asked === "edit" && <EditSecret secret={secret} onClose={close} />}
      {secret && asked === "delete" && (
        <DeleteSecret
          secret={secret}
          uses={uses.data}
          onClose={close}
          onGone={() => {
            void queries.invalidateQueries({ queryKey: ["/secrets"] });
            void navigate({ to: "/secrets", search: {} });
          }}
        />
      )}
    </>
  );
}

function When({ at, by }: { at: string; by: string }) {
  const t = useWords(secretWords);
  return (
    <span>
      <Time at={at} /> <span className="text-soft">{t("by", { name: by })}</span>
    </span>
  );
}
