import { ArrowRightLeft, type LucideIcon, PlugZap, Sparkles } from "lucide-react";
import type { ReactNode } from "react";
import { executorCommand, serverURL } from "@/pages/groups/command";
import { useSession } from "@/session/session";
import { CopyButton } from "@/ui/CopyButton";
import { ButtonLink } from "@/ui/Link";
import { Section } from "@/ui/Section";
import { useWords } from "@/words";
import { welcomeWords } from "./words";

/** Greets an empty installation with three ways on. */
export default function Welcome() {
  const t = useWords(welcomeWords);
  const { may } = useSession();
  return (
    <Section
      title={t("title")}
      text={t("text")}
      actions={
        <ButtonLink to="/jobs/new" look="main" size="small">
          {t("newJob")}
        </ButtonLink>
      }
    >
      <div className="grid gap-6 md:grid-cols-3">
        <Way icon={Sparkles} title={t("sample")} text={t("sampleText")} command="orth dev" />
        <Way
          icon={PlugZap}
          title={t("connect")}
          text={t("connectText")}
          command={`${executorCommand("my-group")} --scripts`}
        />
        <Way
          icon={ArrowRightLeft}
          title={t("move")}
          text={t("moveText")}
          command={`xxl.job.admin.addresses=${serverURL}`}
        >
          <span className="flex flex-wrap gap-2">
            {may("admin") && (
              <ButtonLink to="/import" size="small" look="main">
                {t("import")}
              </ButtonLink>
            )}
            <ButtonLink to="/groups" size="small">
              {t("tokens")}
            </ButtonLink>
          </span>
        </Way>
      </div>
    </Section>
  );
}

function Way({
  icon: Icon,
  title,
  text,
  command,
  children,
}: {
  icon: LucideIcon;
  title: string;
  text: string;
  command: string;
  children?: ReactNode;
}) {
  return (
    <div className="flex min-w-0 flex-col items-start gap-2">
      <h3 className="flex items-center gap-2 text-sm">
        <Icon aria-hidden className="size-4 text-accent" />
        {title}
      </h3>
      <p className="text-pretty text-soft">{text}</p>
      <div className="flex w-full min-w-0 items-center gap-1 rounded-md border bg-sunken py-0.5 pr-0.5 pl-2.5">
        <code className="min-w-0 flex-1 break-words font-mono text-xs">{command}</code>
        <CopyButton text={command} />
      </div>
      {children}
    </div>
  );
}
