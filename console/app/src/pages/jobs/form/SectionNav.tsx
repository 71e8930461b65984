import { useId } from "react";
import { useWords } from "@/words";
import { formWords } from "./words";

const sections = ["basics", "when", "what", "where", "reliability", "after", "alarms", "access"] as const;
export type SectionIds = Record<(typeof sections)[number], string>;

/** Ids of the sections of one form. */
export function useSectionIds(): SectionIds {
  const id = useId();
  return Object.fromEntries(sections.map((name) => [name, `${id}${name}`])) as SectionIds;
}

/** Leads to the sections of the form; wide screens alone have room for it. */
export function SectionNav({ ids }: { ids: SectionIds }) {
  const t = useWords(formWords);
  return (
    <nav aria-label={t("sections")} className="sticky top-4 hidden self-start xl:block">
      <ul className="flex flex-col gap-0.5">
        {sections.map((name) => (
          <li key={name}>
            <button
              type="button"
              className="w-full rounded-md px-2 py-1 text-left text-soft hover:bg-hover hover:text-ink"
              onClick={() => document.getElementById(ids[name])?.scrollIntoView({ block: "start", behavior: "smooth" })}
            >
              {t(name)}
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}
