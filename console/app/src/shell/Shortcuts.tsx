import { Dialog } from "@/ui/Dialog";
import { Keys } from "@/ui/Keys";
import { useWords } from "@/words";
import { navPages } from "./nav";
import { paletteKeys } from "./platform";
import { shellWords } from "./words";

/** The sheet of all keys. */
export default function Shortcuts({ onClose }: { onClose: () => void }) {
  const t = useWords(shellWords);
  const parts = [
    {
      head: t("anywhere"),
      rows: [
        [paletteKeys, t("openPalette")],
        ["/", t("focusSearch")],
        ["n", t("newJob")],
        ["t", t("toggleTheme")],
        ["?", t("shortcuts")],
        ["Esc", t("closeIt")],
      ],
    },
    {
      head: t("lists"),
      rows: [
        ["j k", t("nextRow")],
        ["Enter", t("openRow")],
        ["x", t("selectRow")],
      ],
    },
    {
      head: t("goTo"),
      rows: navPages.filter((place) => place.key).map((place) => [`g ${place.key}`, t(place.word)]),
    },
  ];
  return (
    <Dialog open onClose={onClose} title={t("shortcuts")}>
      <div className="grid gap-x-8 gap-y-4 pb-4 sm:grid-cols-2">
        {parts.map((part, index) => (
          <section key={part.head} className={index === 2 ? "sm:col-start-2 sm:row-span-2 sm:row-start-1" : undefined}>
            <h3 className="pb-1 text-faint text-xs">{part.head}</h3>
            <dl>
              {part.rows.map(([keys, said]) => (
                <div key={keys} className="flex h-7 items-center justify-between gap-4">
                  <dt>{said}</dt>
                  <dd>
                    <Keys keys={keys ?? ""} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
