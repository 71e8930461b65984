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
import type { shellWords } from "./words";

type Word = Key<keyof (typeof shellWords)["entries"] & string>;

/** A page that the navigation leads to. */
export type Place = {
  to: string;
  word: Word;
  icon: LucideIcon;
  /** The key after g that leads there. */
  key?: string;
  /** The right without which it is not shown. */
  right?: Right;
  /** It is shown only while an executor tells facts of this kind. */
  kind?: "solana";
};

/** Whether somebody can use a page: those of administrators are about the whole server. */
export function mayGo({ right }: Place, may: Session["may"]): boolean {
  return !right || (right === "admin" ? may(right, "*", "*") : may(right));
}

/** The pages of the navigation by their parts; the first part has no head. */
export const places: { word?: Word; places: Place[] }[] = [
  {
    places: [
      { to: "/", word: "dashboard", icon: Gauge, key: "d" },
      { to: "/timeline", word: "timeline", icon: CalendarClock, key: "t" },
    ],
  },
  {
    word: "work",
    places: [
      { to: "/jobs", word: "jobs", icon: ListChecks, key: "j" },
      { to: "/runs", word: "runs", icon: Play, key: "r" },
      { to: "/workflows", word: "workflows", icon: Network, key: "w" },
      { to: "/dead-letters", word: "deadLetters", icon: Inbox, key: "l" },
      { to: "/backfills", word: "backfills", icon: History, key: "b" },
      { to: "/templates", word: "templates", icon: Shapes },
    ],
  },
  {
    word: "fleet",
    places: [
      { to: "/groups", word: "groups", icon: Boxes, key: "e" },
      { to: "/solana", word: "solana", icon: Link2, kind: "solana" },
      { to: "/alarms", word: "alarms", icon: Bell, key: "a" },
      { to: "/calendars", word: "calendars", icon: CalendarDays, key: "c" },
      { to: "/pauses", word: "pauses", icon: CirclePause, key: "p" },
      { to: "/secrets", word: "secrets", icon: KeyRound, right: "edit" },
    ],
  },
  {
    word: "people",
    places: [
      { to: "/users", word: "users", icon: Users, key: "u", right: "own" },
      { to: "/namespaces", word: "namespaces", icon: Archive },
      { to: "/audit", word: "audit", icon: BookUser, right: "admin" },
      { to: "/settings", word: "settings", icon: Settings, key: "s", right: "admin" },
      { to: "/import", word: "import", icon: ArrowRightLeft, right: "admin" },
    ],
  },
];

/** All pages of the navigation. */
export const allPlaces: Place[] = places.flatMap((part) => part.places);
