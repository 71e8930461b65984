import { ChevronsUpDown, Layers } from "lucide-react";
import { useGet } from "@/api/query";
import { Menu, MenuLabel, MenuRadio } from "@/ui/Menu";
import { useWords } from "@/words";
import { useNamespace } from "./namespace";
import { shellWords } from "./words";

/** Chooses the namespace that all pages show. */
export function NamespaceSwitcher() {
  const t = useWords(shellWords);
  const { namespace, setNamespace } = useNamespace();
  const { data } = useGet("/namespaces", {}, { staleTime: 60_000 });
  const names = data?.namespaces.map((one) => one.name) ?? [];
  const known = names.includes(namespace) || namespace === "" ? names : [namespace, ...names];
  const options = [
    { value: "", label: t("allNamespaces") },
    ...known.map((name) => ({ value: name, label: <span className="truncate">{name}</span> })),
  ];
  return (
    <Menu
      align="start"
      trigger={
        <button
          type="button"
          aria-label={`${t("namespace")}: ${namespace || t("allNamespaces")}`}
          className="flex h-8 items-center gap-2 rounded-md px-2 text-sm hover:bg-hover"
        >
          <Layers aria-hidden className="size-4 shrink-0 text-faint" strokeWidth={1.75} />
          <span className="flex-1 truncate text-left font-medium">{namespace || t("allNamespaces")}</span>
          <ChevronsUpDown aria-hidden className="size-3.5 text-faint" />
        </button>
      }
    >
      <MenuLabel>{t("namespace")}</MenuLabel>
      <MenuRadio value={namespace} onChange={setNamespace} options={options} />
    </Menu>
  );
}
