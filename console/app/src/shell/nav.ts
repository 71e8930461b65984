import {
  Archive,
  ArrowRightLeft,
  Bell,
  BookUser,
  Boxes,
  CalendarClock,
  CalendarDays,
  CirclePause,
  Gauge,
  History,
  Inbox,
  KeyRound,
  Link2,
  ListChecks,
  type LucideIcon,
  Network,
  Play,
  Settings,
  Shapes,
  Users,
} from "lucide-react";
import type { Right } from "@/session/rights";
import type { Session } from "@/session/session";
import type { Key } from "@/words";
import { shellWords } from "./words";

type Word = Key<keyof (typeof shellWords)["entries"] & string>;

/** A page in the navigation. */
export type NavPage = {
  to: string;
  word: Word;
  icon: LucideIcon;
  /** The key that opens the page after g. */
  key?: string;
  /** The right needed to see the page. */
  right?: Right;
  /** The page is shown only while an executor reports facts of this kind. */
  kind?: "solana";
  /** Other names of the page, such as those in the menu of XXL-JOB, in English and Chinese. */
  also?: string;
};

/** Whether the user may open a page. Administrator pages need the right on the whole server. */
export function mayOpen({ right }: NavPage, may: Session["may"]): boolean {
  return !right || (right === "admin" ? may(right, "*", "*") : may(right));
}

/** The sections of the navigation with their pages; the first section has no title. */
export const navSections: { word?: Word; places: NavPage[] }[] = [
  {
    places: [
      { to: "/", word: "dashboard", icon: Gauge, key: "d", also: "Report 运行报表 運行報表" },
      { to: "/timeline", word: "timeline", icon: CalendarClock, key: "t" },
    ],
  },
  {
    word: "work",
    places: [
      { to: "/jobs", word: "jobs", icon: ListChecks, key: "j", also: "Job Manage 任务 任務" },
      { to: "/runs", word: "runs", icon: Play, key: "r", also: "Log 日志 運行記錄 运行记录 調度日誌" },
      { to: "/workflows", word: "workflows", icon: Network, key: "w" },
      { to: "/dead-letters", word: "deadLetters", icon: Inbox, key: "l", also: "Failed 失败任务 失敗任務" },
      { to: "/backfills", word: "backfills", icon: History, key: "b", also: "Batch trigger 补跑 補跑 回填" },
      { to: "/templates", word: "templates", icon: Shapes, also: "SuperTask GLUE" },
    ],
  },
  {
    word: "fleet",
    places: [
      { to: "/groups", word: "groups", icon: Boxes, key: "e", also: "Executor Manage 执行器 AppName" },
      { to: "/solana", word: "solana", icon: Link2, kind: "solana" },
      { to: "/alarms", word: "alarms", icon: Bell, key: "a", also: "Alert 报警 報警" },
      { to: "/calendars", word: "calendars", icon: CalendarDays, key: "c", also: "Holidays 节假日 假日" },
      { to: "/pauses", word: "pauses", icon: CirclePause, key: "p" },
      { to: "/secrets", word: "secrets", icon: KeyRound, right: "edit", also: "Credentials 凭据" },
    ],
  },
  {
    word: "people",
    places: [
      { to: "/users", word: "users", icon: Users, key: "u", right: "own", also: "User Manage 用户 用戶管理" },
      { to: "/namespaces", word: "namespaces", icon: Archive },
      { to: "/audit", word: "audit", icon: BookUser, right: "admin" },
      { to: "/settings", word: "settings", icon: Settings, key: "s", right: "admin" },
      { to: "/import", word: "import", icon: ArrowRightLeft, right: "admin", also: "XXL-JOB 迁移 遷移" },
    ],
  },
];

/** All pages of the navigation. */
export const navPages: NavPage[] = navSections.flatMap((part) => part.places);

/** Whether a text is part of a name of the page: its label in any language, another name, or its address. */
export function matchesPage({ to, word, also = "" }: Pick<NavPage, "to" | "word" | "also">, text: string): boolean {
  const low = text.toLowerCase();
  return [...shellWords.entries[word], also, to].some((name) => name.toLowerCase().includes(low));
}
