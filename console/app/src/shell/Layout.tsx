import { Outlet, useRouterState } from "@tanstack/react-router";
import { Menu as MenuIcon, Search } from "lucide-react";
import { lazy, Suspense, useEffect, useState } from "react";
import { useLiveReads } from "@/api/events";
import { SessionProvider, useSession } from "@/session/session";
import { cn } from "@/ui/cn";
import { IconButton } from "@/ui/IconButton";
import { Skeleton, SkeletonText } from "@/ui/Skeleton";
import { useWords } from "@/words";
import { Mark } from "./Mark";
import { Offline } from "./Offline";
import { SessionOver } from "./SessionOver";
import { Sidebar } from "./Sidebar";
import { type Sheet, useShortcuts } from "./useShortcuts";
import { shellWords } from "./words";

const Palette = lazy(() => import("./Palette"));
const Shortcuts = lazy(() => import("./Shortcuts"));

/** The frame around all pages of who is signed in. */
export function Layout() {
  return (
    <SessionProvider waiting={<Waiting />}>
      <Frame />
    </SessionProvider>
  );
}

function Frame() {
  const t = useWords(shellWords);
  const [sheet, setSheet] = useState<Sheet | null>(null);
  const [drawn, setDrawn] = useState(false);
  const path = useRouterState({ select: (state) => state.location.pathname });
  const { me } = useSession();
  useLiveReads(`${me.kind} ${me.name}`);
  const typed = useShortcuts(sheet, setSheet);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes the navigation of phones.
  useEffect(() => setDrawn(false), [path]);
  return (
    <div className="min-h-screen md:pl-56">
      <button
        type="button"
        onClick={() => document.getElementById("main")?.focus()}
        className="fixed top-2 left-2 z-50 -translate-y-16 rounded-md bg-accent px-3 py-1.5 text-accent-ink focus:translate-y-0"
      >
        {t("skip")}
      </button>
      <header className="sticky top-0 z-30 flex h-12 items-center gap-2 border-b bg-side px-3 md:hidden">
        <IconButton icon={MenuIcon} label={t("openNavigation")} onClick={() => setDrawn(true)} />
        <Mark />
        <span className="flex-1" />
        <IconButton icon={Search} label={t("palette")} onClick={() => setSheet("palette")} />
      </header>
      {drawn && (
        <button
          type="button"
          aria-hidden
          tabIndex={-1}
          className="fixed inset-0 z-30 bg-shade md:hidden"
          onClick={() => setDrawn(false)}
        />
      )}
      <Sidebar
        className={cn("max-md:transition-transform", !drawn && "max-md:invisible max-md:-translate-x-full")}
        onPalette={() => setSheet("palette")}
        onShortcuts={() => setSheet("shortcuts")}
        onClose={() => setDrawn(false)}
      />
      <Offline />
      <SessionOver />
      <main id="main" tabIndex={-1} className="min-w-0 px-4 py-4 outline-none md:px-6">
        <Outlet />
      </main>
      <Suspense fallback={null}>
        {sheet === "palette" && <Palette typed={typed} onClose={() => setSheet(null)} />}
        {sheet === "shortcuts" && <Shortcuts onClose={() => setSheet(null)} />}
      </Suspense>
    </div>
  );
}

function Waiting() {
  return (
    <div className="min-h-screen md:pl-56" aria-busy>
      <div className="fixed inset-y-0 left-0 w-56 border-r bg-side p-4 max-md:hidden">
        <SkeletonText lines={8} />
      </div>
      <div className="p-6">
        <Skeleton className="h-6 w-48" />
      </div>
    </div>
  );
}
