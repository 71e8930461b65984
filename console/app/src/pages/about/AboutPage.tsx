import { useQuery } from "@tanstack/react-query";
import { FileText } from "lucide-react";
import { useState } from "react";
import { apiURL, consoleURL } from "@/api/base";
import { useGet } from "@/api/query";
import { useSession } from "@/session/session";
import { Code, CodeBlock } from "@/ui/Code";
import { CopyButton } from "@/ui/CopyButton";
import { Dialog } from "@/ui/Dialog";
import { IconButton } from "@/ui/IconButton";
import { KeyValue } from "@/ui/KeyValue";
import { OutLink } from "@/ui/Link";
import { PageHeader } from "@/ui/PageHeader";
import { Section } from "@/ui/Section";
import { Skeleton } from "@/ui/Skeleton";
import { Table } from "@/ui/Table";
import { useWords } from "@/words";
import { type Notice, oneVersion, parseNotices } from "./notices";
import { aboutWords } from "./words";

const source = "https://github.com/orthd/orth";

/** What this program is: its version, its licence, what it is built with, and where more is to be read. */
export function AboutPage() {
  const t = useWords(aboutWords);
  const { may } = useSession();
  const version = useGet("/version", {}, { staleTime: Number.POSITIVE_INFINITY }).data?.version;
  const servers = useGet("/servers", {}, { enabled: may("admin", "*", "*") }).data?.servers ?? [];
  return (
    <>
      <PageHeader title={t("title")} text={t("text")} />
      <div className="flex flex-col gap-4">
        <div className="grid gap-4 lg:grid-cols-2">
          <Section title={t("program")}>
            <KeyValue
              items={[
                [
                  t("version"),
                  version ? (
                    <span key="version" className="flex items-center gap-1">
                      <Code>{version}</Code>
                      <CopyButton text={version} />
                    </span>
                  ) : (
                    <Skeleton key="version" className="w-40" />
                  ),
                ],
                [
                  t("servers"),
                  servers.length === 0 ? undefined : (
                    <ul key="servers">
                      {servers.map((one) => (
                        <li key={one.name}>
                          {one.name} <Code>{one.version}</Code>
                        </li>
                      ))}
                      {!oneVersion(servers.map((one) => one.version)) && (
                        <li className="text-warn">{t("otherVersions")}</li>
                      )}
                    </ul>
                  ),
                ],
                [t("console"), t("consoleMode")],
                [
                  t("licence"),
                  <OutLink key="licence" href={`${source}/blob/main/LICENSE`}>
                    Apache-2.0
                  </OutLink>,
                ],
              ]}
            />
          </Section>
          <Section title={t("read")}>
            <ul className="flex flex-col gap-2">
              <li>
                <OutLink href={`${apiURL.href}/docs`}>{t("api")}</OutLink>
              </li>
              <li>
                <OutLink href={`${apiURL.href}/openapi.json`}>{t("openapi")}</OutLink>
              </li>
              <li>
                <OutLink href={source}>{t("source")}</OutLink>
              </li>
            </ul>
          </Section>
        </div>
        <Notices />
      </div>
    </>
  );
}

/** The libraries in the bundle. Consoles that are served from their sources have no list of them. */
function Notices() {
  const t = useWords(aboutWords);
  const [open, setOpen] = useState<Notice | null>(null);
  const answer = useQuery({
    queryKey: ["notices"],
    queryFn: async ({ signal }) => {
      const file = await fetch(new URL("licenses.json", consoleURL), { signal });
      return file.ok ? parseNotices(await file.json().catch(() => null)) : null;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  const none = answer.error || answer.data === null;
  return (
    <Section title={t("notices")} text={t("noticesText")} flush>
      {none ? (
        <p className="p-4 text-soft">{t("noNotices")}</p>
      ) : (
        <Table<Notice>
          label={t("notices")}
          columns={[
            { id: "name", title: t("name"), cell: (one) => one.name, fixed: true },
            {
              id: "version",
              title: t("version"),
              cell: (one) => <span className="font-mono text-xs">{one.version}</span>,
            },
            { id: "licence", title: t("licence"), cell: (one) => one.identifier },
            {
              id: "text",
              title: "",
              align: "right",
              width: "4rem",
              cell: (one) =>
                one.text && (
                  <IconButton
                    icon={FileText}
                    size="small"
                    label={t("showText", { name: one.name })}
                    onClick={() => setOpen(one)}
                  />
                ),
            },
          ]}
          rows={answer.data ?? undefined}
          rowKey={(one) => `${one.name} ${one.version}`}
          empty={null}
        />
      )}
      {open && (
        <Dialog open onClose={() => setOpen(null)} title={t("showText", { name: open.name })}>
          <div className="pb-4">
            <CodeBlock className="whitespace-pre-wrap">{open.text}</CodeBlock>
          </div>
        </Dialog>
      )}
    </Section>
  );
}
