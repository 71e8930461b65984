import { cn } from "@/ui/cn";
import { languageNames, languages, useLanguage } from "@/words";

/** The languages to choose from, for those who are not signed in. */
export function LanguageLine() {
  const [language, setLanguage] = useLanguage();
  return (
    <div className="mt-4 flex gap-1">
      {languages.map((one) => (
        <button
          key={one}
          type="button"
          lang={one}
          aria-pressed={one === language}
          onClick={() => setLanguage(one)}
          className={cn(
            "rounded-sm px-2 py-1 text-soft text-xs hover:text-ink",
            one === language && "font-medium text-ink",
          )}
        >
          {languageNames[one]}
        </button>
      ))}
    </div>
  );
}
