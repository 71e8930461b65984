import { useNavigate, useSearch } from "@tanstack/react-router";
import { SearchX } from "lucide-react";
import { useGet } from "@/api/query";
import type { Schema } from "@/api/types";
import { Badge } from "@/ui/Badge";
import { CopyButton } from "@/ui/CopyButton";
import { Empty } from "@/ui/Empty";
import { FilterBar } from "@/ui/FilterBar";
import { Section } from "@/ui/Section";
import { type Column, Table } from "@/ui/Table";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import type { SettingsSearch } from "./route";
import { variable } from "./variable";
import { settingsWords } from "./words";

type Setting = Schema<"Setting">;

/** The settings that are in effect, with the names that they are given by. */
export function SettingTable() {
  const t = useWords(settingsWords);
  const shared = useWords(sharedWords);
  const { find } = useSearch({ from: "/shell/settings" });
  const navigate = useNavigate();
  const answer = useGet("/settings");
  const wanted = find?.toLowerCase() ?? "";
  const rows = answer.data?.settings.filter(
    (one) => one.name.includes(wanted) || (!one.secret && one.value.toLowerCase().includes(wanted)),
  );
  const columns: Column<Setting>[] = [
    {
      id: "name",
      title: t("name"),
      cell: (one) => <span className="whitespace-nowrap font-mono text-xs">{one.name}</span>,
      fixed: true,
      width: "16rem",
    },
    { id: "value", title: t("value"), cell: (one) => <Value setting={one} />, className: "max-w-96 break-words" },
    { id: "source", title: t("source"), cell: (one) => <Source setting={one} />, width: "9rem" },
    {
      id: "variable",
      title: t("environment"),
      cell: (one) => (
        <span className="inline-flex items-center gap-1 font-mono text-soft text-xs">
          {variable(one.name)}
          <CopyButton text={variable(one.name)} label={`${shared("copy")}: ${variable(one.name)}`} />
        </span>
      ),
      width: "22rem",
    },
  ];
  return (
    <>
      <FilterBar
        filters={[]}
        values={{ find }}
        search="find"
        searchLabel={t("find")}
        onChange={(changed) =>
          void navigate({ to: "/settings", search: (before) => ({ ...before, ...changed }) as SettingsSearch })
        }
      />
      <Section flush>
        <Table
          label={t("settings")}
          columns={columns}
          rows={rows}
          rowKey={(one) => one.name}
          problem={answer.error}
          onRetry={() => void answer.refetch()}
          empty={<Empty icon={SearchX} title={t("nothing")} command="orth settings" />}
        />
      </Section>
    </>
  );
}

function Value({ setting }: { setting: Setting }) {
  const t = useWords(settingsWords);
  if (setting.value === "") return <span className="text-faint">{t("unset")}</span>;
  if (setting.secret) return <span className="text-soft">{t("hidden")}</span>;
  return <span className="font-mono text-xs">{setting.value}</span>;
}

/** The source of a value. Configured values stand out from defaults. */
function Source({ setting }: { setting: Setting }) {
  const t = useWords(settingsWords);
  return (
    <Badge tone={setting.source === "default" ? "plain" : "accent"} title={setting.file}>
      {t(`from_${setting.source}`)}
    </Badge>
  );
}
