import { Layers } from "lucide-react";
import { useGet } from "@/api/query";
import { Select } from "@/ui/Select";
import { useWords, words } from "@/words";
import { useNamespace } from "./namespace";

const spaceWords = words("oneSpace", {
  text: ["This page shows one namespace at a time:", "此页一次只显示一个命名空间：", "此頁一次只顯示一個命名空間："],
  choose: ["Namespace of this page", "此页的命名空间", "此頁的命名空間"],
});

/** Says which namespace a page shows that cannot show all of them, and offers the others. */
export function OneSpace() {
  const t = useWords(spaceWords);
  const { namespace, of, setNamespace } = useNamespace();
  const { data } = useGet("/namespaces", {}, { staleTime: 60_000, enabled: namespace === "" });
  const names = data?.namespaces.map((one) => one.name) ?? [];
  if (namespace !== "" || !names.some((name) => name !== of)) return null;
  const all = names.includes(of) ? names : [of, ...names];
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2 text-soft text-sm">
      <Layers aria-hidden className="size-4 shrink-0 text-faint" strokeWidth={1.75} />
      <span>{t("text")}</span>
      <Select
        label={t("choose")}
        value={of}
        onChange={setNamespace}
        options={all.map((value) => ({ value, label: value }))}
        className="w-48"
      />
    </div>
  );
}
