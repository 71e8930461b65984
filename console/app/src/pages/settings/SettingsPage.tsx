import { useNavigate, useSearch } from "@tanstack/react-router";
import { ShieldCheck, TriangleAlert } from "lucide-react";
import { useGet } from "@/api/query";
import { useSession } from "@/session/session";
import { MissingRight } from "@/shell/MissingRight";
import { everySpace } from "@/shell/namespace";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { PageHeader } from "@/ui/PageHeader";
import { Section } from "@/ui/Section";
import { SkeletonText } from "@/ui/Skeleton";
import { Tabs } from "@/ui/Tabs";
import { useWords } from "@/words";
import type { settingsTabs } from "./route";
import { Servers } from "./Servers";
import { SettingTable } from "./SettingTable";
import { settingsWords } from "./words";

/** How the server runs: settings, servers, and what must not stay as it is. */
export function SettingsPage() {
  const t = useWords(settingsWords);
  const { may } = useSession();
  if (!may("admin", everySpace, "*")) return <MissingRight title={t("title")} right="admin" />;
  return <Parts />;
}

function Parts() {
  const t = useWords(settingsWords);
  const { tab = "settings" } = useSearch({ from: "/shell/settings" });
  const navigate = useNavigate();
  const warnings = useGet("/warnings");
  const open = (next: (typeof settingsTabs)[number]) =>
    void navigate({
      to: "/settings",
      search: (before) => ({ ...before, find: undefined, tab: next === "settings" ? undefined : next }),
    });
  return (
    <>
      <PageHeader title={t("title")} text={t("text")} />
      <Tabs
        label={t("title")}
        value={tab}
        onChange={open}
        tabs={[
          { value: "settings", label: t("settings"), content: <SettingTable /> },
          { value: "servers", label: t("servers"), content: <Servers /> },
          {
            value: "warnings",
            label: t("warnings"),
            count: warnings.data?.warnings.length || undefined,
            content: <Warnings answer={warnings} />,
          },
        ]}
      />
    </>
  );
}

function Warnings({ answer }: { answer: ReturnType<typeof useGet<"/warnings">> }) {
  const t = useWords(settingsWords);
  if (answer.error) return <ErrorState problem={answer.error} onRetry={() => void answer.refetch()} />;
  if (!answer.data) return <SkeletonText />;
  if (answer.data.warnings.length === 0) {
    return (
      <Section>
        <Empty icon={ShieldCheck} title={t("calm")}>
          {t("calmText")}
        </Empty>
      </Section>
    );
  }
  return (
    <Section title={t("warnings")} text={t("warningText")} flush>
      <ul>
        {answer.data.warnings.map((one) => (
          <li key={one} className="flex items-start gap-2.5 border-b px-4 py-3 last:border-b-0">
            <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
            <span className="min-w-0 break-words">{one}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
