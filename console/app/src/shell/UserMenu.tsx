import { useNavigate } from "@tanstack/react-router";
import { BookOpen, ChevronsUpDown, CircleUserRound, Info, Keyboard, LogOut } from "lucide-react";
import { apiURL } from "@/api/base";
import { useGet } from "@/api/query";
import { useSession } from "@/session/session";
import { Menu, MenuItem, MenuLabel, MenuLine, MenuRadio } from "@/ui/Menu";
import { useToast } from "@/ui/Toast";
import { type Language, languageNames, languages, useLanguage, useWords } from "@/words";
import { setTheme, type ThemeWish, useTheme } from "./theme";
import { shellWords } from "./words";

/** Who is signed in, with what is theirs: account, theme, language, and the way out. */
export function UserMenu({ onShortcuts }: { onShortcuts: () => void }) {
  const t = useWords(shellWords);
  const { me, signOut } = useSession();
  const navigate = useNavigate();
  const toast = useToast();
  const [language, setLanguage] = useLanguage();
  const [, wish] = useTheme();
  const { data: version } = useGet("/version", {}, { staleTime: Number.POSITIVE_INFINITY });
  const leave = async () => {
    try {
      await signOut();
      await navigate({ to: "/sign-in", search: {} });
    } catch (error) {
      toast.failed(error);
    }
  };
  const themes: { value: ThemeWish; label: string }[] = [
    { value: "system", label: t("system") },
    { value: "light", label: t("light") },
    { value: "dark", label: t("dark") },
  ];
  return (
    <Menu
      align="start"
      side="top"
      trigger={
        <button
          type="button"
          aria-label={`${t("account")}: ${me.name}`}
          className="flex h-9 w-full items-center gap-2.5 rounded-md px-2 text-sm hover:bg-hover"
        >
          <span className="grid size-6 shrink-0 place-items-center rounded-full bg-accent-tint font-semibold text-accent text-xs uppercase">
            {me.name.slice(0, 1)}
          </span>
          <span className="flex-1 truncate text-left font-medium">{me.name}</span>
          <ChevronsUpDown aria-hidden className="size-3.5 text-faint" />
        </button>
      }
    >
      <MenuItem icon={CircleUserRound} onSelect={() => void navigate({ to: "/me" } as never)}>
        {t("me")}
      </MenuItem>
      <MenuItem icon={Keyboard} keys="?" onSelect={onShortcuts}>
        {t("shortcuts")}
      </MenuItem>
      <MenuItem icon={BookOpen} onSelect={() => window.open(`${apiURL.href}/docs`, "_blank", "noreferrer")}>
        {t("docs")}
      </MenuItem>
      <MenuItem icon={Info} onSelect={() => void navigate({ to: "/about" })}>
        {t("about")}
      </MenuItem>
      <MenuLine />
      <MenuLabel>{t("theme")}</MenuLabel>
      <MenuRadio value={wish} onChange={setTheme} options={themes} />
      <MenuLine />
      <MenuLabel>{t("language")}</MenuLabel>
      <MenuRadio<Language>
        value={language}
        onChange={setLanguage}
        options={languages.map((value) => ({ value, label: <span lang={value}>{languageNames[value]}</span> }))}
      />
      <MenuLine />
      {me.kind === "user" && (
        <MenuItem icon={LogOut} onSelect={() => void leave()}>
          {t("signOut")}
        </MenuItem>
      )}
      {version && <MenuLabel>{t("version", { version: version.version })}</MenuLabel>}
    </Menu>
  );
}
