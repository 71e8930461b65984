import { Link as RouterLink } from "@tanstack/react-router";
import { Search, X } from "lucide-react";
import { useGet } from "@/api/query";
import { useSession } from "@/session/session";
import { cn } from "@/ui/cn";
import { short } from "@/ui/format";
import { IconButton } from "@/ui/IconButton";
import { Keys } from "@/ui/Keys";
import { useLanguage, useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { Mark } from "./Mark";
import { NamespaceSwitcher } from "./NamespaceSwitcher";
import { mayOpen, type NavPage, navSections } from "./nav";
import { paletteKeys } from "./platform";
import { UserMenu } from "./UserMenu";
import { shellWords } from "./words";

/** The navigation at the left: on phones it slides in. */
export function Sidebar({
  className,
  onPalette,
  onShortcuts,
  onClose,
}: {
  className?: string;
  onPalette: () => void;
  onShortcuts: () => void;
  onClose: () => void;
}) {
  const t = useWords(shellWords);
  const shared = useWords(sharedWords);
  const { may } = useSession();
  const { data: summary } = useGet("/summary", {}, { refetchInterval: 30_000, retry: false });
  const { data: chain } = useGet(
    "/executors",
    { query: { kind: "solana" } },
    { refetchInterval: 30_000, retry: false },
  );
  const counts: Partial<Record<string, number>> = {
    "/alarms": summary?.open.alarms,
    "/dead-letters": summary?.open.dead_letters,
  };
  return (
    <aside className={cn("fixed inset-y-0 left-0 z-30 flex w-56 flex-col border-r bg-side", className)}>
      <div className="flex h-12 shrink-0 items-center justify-between pr-2 pl-4">
        <RouterLink to="/" className="rounded-sm">
          <Mark />
        </RouterLink>
        <IconButton icon={X} label={shared("close")} className="md:hidden" onClick={onClose} />
      </div>
      <div className="flex shrink-0 flex-col gap-1 px-2 pb-2">
        <NamespaceSwitcher />
        <button
          type="button"
          onClick={onPalette}
          className="flex h-8 items-center gap-2 rounded-md border border-line-strong bg-raised px-2 text-faint text-sm hover:border-control hover:text-ink"
        >
          <Search aria-hidden className="size-3.5" />
          <span className="flex-1 truncate text-left">{t("palette")}</span>
          <Keys keys={paletteKeys} />
        </button>
      </div>
      <nav aria-label={t("navigation")} className="min-h-0 flex-1 overflow-y-auto px-2 pb-3">
        {navSections.map((part) => {
          const allowed = part.places.filter(
            (place) => mayOpen(place, may) && (place.kind !== "solana" || !!chain?.executors.length),
          );
          if (allowed.length === 0) return null;
          return (
            <div key={part.word ?? ""} className="pt-2">
              {part.word && <p className="px-2 pb-1 text-faint text-xs">{t(part.word)}</p>}
              <ul className="flex flex-col gap-px">
                {allowed.map((place) => (
                  <li key={place.to}>
                    <PlaceLink place={place} count={counts[place.to]} />
                  </li>
                ))}
              </ul>
            </div>
          );
        })}
      </nav>
      <div className="shrink-0 border-t p-2">
        <UserMenu onShortcuts={onShortcuts} />
      </div>
    </aside>
  );
}

function PlaceLink({ place, count }: { place: NavPage; count?: number }) {
  const t = useWords(shellWords);
  const [language] = useLanguage();
  const Icon = place.icon;
  return (
    <RouterLink
      to={place.to}
      activeOptions={{ exact: place.to === "/", includeSearch: false }}
      preload="intent"
      className="flex h-7 items-center gap-2.5 rounded-md px-2 text-sm text-soft hover:bg-hover hover:text-ink"
      activeProps={{ className: "bg-hover font-medium text-ink" }}
    >
      <Icon aria-hidden className="size-4 shrink-0 opacity-80" strokeWidth={1.75} />
      <span className="flex-1 truncate">{t(place.word)}</span>
      {count ? (
        <span className="rounded-full bg-bad-tint px-1.5 font-medium text-2xs text-bad">{short(count, language)}</span>
      ) : null}
    </RouterLink>
  );
}
