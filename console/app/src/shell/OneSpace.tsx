import { Layers } from "lucide-react";
import { useGet } from "@/api/query";
import { useSession } from "@/session/session";
import { Select } from "@/ui/Select";
import { useWords, words } from "@/words";
import { useNamespace, useSpaceFor } from "./namespace";

const spaceWords = words("oneSpace", {
  text: [
    "New objects are created in the namespace",
    "在此创建的内容所属的命名空间：",
    "在此建立的內容所屬的命名空間：",
  ],
  choose: ["Namespace for new objects", "在此创建的内容的命名空间", "在此建立的內容的命名空間"],
});

/** While all namespaces are shown, shows and changes the namespace for new objects. */
export function OneSpace() {
  const t = useWords(spaceWords);
  const { namespace, setNamespace } = useNamespace();
  const { may } = useSession();
  const of = useSpaceFor("edit");
  const { data } = useGet("/namespaces", {}, { staleTime: 60_000, enabled: namespace === "" });
  const names = data?.namespaces.map((one) => one.name).filter((name) => may("edit", name)) ?? [];
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
