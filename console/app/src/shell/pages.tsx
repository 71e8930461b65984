import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { Compass, LockKeyhole, ServerCrash, Unplug } from "lucide-react";
import type { ReactNode } from "react";
import { type Problem, toProblem } from "@/api/problem";
import { Button } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { ButtonLink } from "@/ui/Link";
import { PageHeader } from "@/ui/PageHeader";
import { useWords, words } from "@/words";
import { sharedWords } from "@/words/shared";

const pageWords = words("pages", {
  missing: ["Page not found", "页面不存在", "頁面不存在"],
  missingText: [
    "Check the address. The object may have been deleted.",
    "请检查地址。对应的内容可能已被删除。",
    "請檢查網址。對應的內容可能已被刪除。",
  ],
  forbidden: ["You have no access to this page", "您无权查看此页", "您無權檢視此頁"],
  forbiddenText: [
    "Ask an owner of this namespace or group for a role.",
    "请向此命名空间或组的所有者申请角色。",
    "請向此命名空間或群組的擁有者申請角色。",
  ],
  gone: ["Not found", "内容不存在", "內容不存在"],
  offline: ["The server is unreachable", "无法连接服务器", "無法連線到伺服器"],
  offlineText: [
    "Check that the server is running and that this machine can reach it, then try again.",
    "请检查服务器是否运行，以及本机能否访问它，然后重试。",
    "請檢查伺服器是否執行中，以及本機能否連上它，然後重試。",
  ],
  broken: ["This page failed to load", "页面加载失败", "頁面載入失敗"],
  home: ["Go to the dashboard", "返回概览", "返回總覽"],
});

/** The page for an address that leads nowhere. */
export function Missing() {
  const t = useWords(pageWords);
  return (
    <FullPage icon={Compass} title={t("missing")}>
      {t("missingText")}
    </FullPage>
  );
}

/** The page in place of one that could not be shown. */
export function Broken({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  return (
    <ProblemPage
      problem={toProblem(error)}
      onRetry={() => {
        reset();
        void router.invalidate();
      }}
    />
  );
}

/** The page for what went wrong: not allowed, not there, not reached, or broken. */
export function ProblemPage({ problem, onRetry }: { problem: Problem; onRetry?: () => void }) {
  const t = useWords(pageWords);
  const said = [problem.detail, upperFirst(problem.hint)].filter(Boolean).join(". ");
  if (problem.status === 403) {
    return (
      <FullPage icon={LockKeyhole} title={t("forbidden")}>
        {problem.hint ? said : [said, t("forbiddenText")].filter(Boolean).join(". ")}
      </FullPage>
    );
  }
  if (problem.status === 404) {
    return (
      <FullPage icon={Compass} title={t("gone")}>
        {said || t("missingText")}
      </FullPage>
    );
  }
  const offline = problem.code === "offline";
  return (
    <FullPage icon={offline ? Unplug : ServerCrash} title={offline ? t("offline") : t("broken")} onRetry={onRetry}>
      {offline ? t("offlineText") : said}
      {problem.id && <p className="font-mono text-xs">{problem.id}</p>}
    </FullPage>
  );
}

const upperFirst = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function FullPage({
  icon,
  title,
  onRetry,
  children,
}: {
  icon: typeof Compass;
  title: string;
  onRetry?: () => void;
  children: ReactNode;
}) {
  const t = useWords(pageWords);
  const shared = useWords(sharedWords);
  return (
    <div className="grid min-h-[70vh] place-items-center">
      <div>
        <div className="sr-only">
          <PageHeader title={title} />
        </div>
        <Empty
          icon={icon}
          title={title}
          action={
            <>
              {onRetry && (
                <Button look="main" onClick={onRetry}>
                  {shared("retry")}
                </Button>
              )}
              <ButtonLink to="/" look="plain">
                {t("home")}
              </ButtonLink>
            </>
          }
        >
          {children}
        </Empty>
      </div>
    </div>
  );
}
