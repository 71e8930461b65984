import { Trash2, X } from "lucide-react";
import { useState } from "react";
import { jobFinder } from "@/pages/runs/useRunFilters";
import { Button } from "@/ui/Button";
import { Combobox } from "@/ui/Combobox";
import { Field } from "@/ui/Field";
import { IconButton } from "@/ui/IconButton";
import { Input } from "@/ui/Input";
import { Select } from "@/ui/Select";
import { Switch } from "@/ui/Switch";
import { Textarea } from "@/ui/Textarea";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import {
  type Condition,
  changed,
  conditionOf,
  connected,
  disconnected,
  isKey,
  type Node,
  waitsFor,
  withoutNode,
} from "./graph";
import { workflowWords } from "./words";

/** Everything of one node: its name, its job, its parameter and what it waits for. */
export function NodeForm({
  node,
  nodes,
  namespace,
  onChange,
  onRename,
}: {
  node: Node;
  nodes: readonly Node[];
  namespace: string;
  onChange: (nodes: Node[]) => void;
  onRename: (name: string | undefined) => void;
}) {
  const t = useWords(workflowWords);
  const shared = useWords(sharedWords);
  const [name, setName] = useState(node.name);
  const field = (part: string) => `nodes.${nodes.indexOf(node)}.${part}`;
  const free = isKey(name) && (name === node.name || !nodes.some((one) => one.name === name));
  const rename = () => {
    if (!free || name === node.name) return setName(node.name);
    onChange(changed(nodes, node.name, { name }));
    onRename(name);
  };
  const after = node.after ?? [];
  const others = nodes.filter(
    (one) =>
      one.name !== node.name && !after.some((edge) => edge.node === one.name) && !waitsFor(nodes, one.name, node.name),
  );
  const conditions = (["success", "failure", "always"] as const).map((value) => ({ value, label: t(value) }));
  const joins = [
    { value: "all", label: t("joinAll") },
    { value: "any", label: t("joinAny") },
    ...after.slice(2).map((_, index) => ({ value: String(index + 2), label: t("joinN", { n: index + 2 }) })),
  ];
  const edit = (change: Partial<Node>) => onChange(changed(nodes, node.name, change));
  return (
    <div className="flex flex-col gap-3">
      <Field name={field("name")} label={t("name")} help={t("nameHelp")} error={free ? undefined : t("keyHelp")}>
        <Input
          mono
          value={name}
          onChange={(event) => setName(event.target.value)}
          onBlur={rename}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault(); // it sends no form
            rename();
          }}
        />
      </Field>
      <Field name={field("job")} label={shared("job")} required>
        <Combobox value={node.job} onChange={(job) => edit({ job })} options={jobFinder(namespace)} free />
      </Field>
      <Switch
        checked={node.param !== undefined}
        onChange={(on) => edit({ param: on ? "" : undefined })}
        help={t("ownParamHelp")}
      >
        {t("ownParam")}
      </Switch>
      {node.param !== undefined && (
        <Field name={field("param")} label={t("param")}>
          <Textarea mono value={node.param} onChange={(event) => edit({ param: event.target.value })} />
        </Field>
      )}
      <Field name={field("after")} label={t("after")} group>
        <ul className="flex flex-col gap-1.5">
          {after.map((edge) => (
            <li key={edge.node} className="flex items-center gap-1.5">
              <span className="min-w-0 flex-1 truncate font-medium">{edge.node}</span>
              <Select
                label={`${t("condition")} ${edge.node}`}
                value={conditionOf(edge)}
                onChange={(on: Condition) => onChange(connected(nodes, edge.node, node.name, on) ?? [...nodes])}
                options={conditions}
                className="w-32"
              />
              <IconButton
                icon={X}
                size="small"
                label={t("removeEdge", { node: edge.node })}
                onClick={() => onChange(disconnected(nodes, edge.node, node.name))}
              />
            </li>
          ))}
        </ul>
        {others.length > 0 && (
          <Select
            label={t("addAfter")}
            placeholder={t("addAfter")}
            value={undefined}
            onChange={(from: string) => onChange(connected(nodes, from, node.name) ?? [...nodes])}
            options={others.map((one) => ({ value: one.name, label: one.name }))}
          />
        )}
      </Field>
      {after.length > 1 && (
        <Field name={field("join")} label={t("join")}>
          <Select value={node.join ?? "all"} onChange={(join: string) => edit({ join })} options={joins} />
        </Field>
      )}
      <Button
        icon={Trash2}
        look="dangerPlain"
        onClick={() => {
          onChange(withoutNode(nodes, node.name));
          onRename(undefined);
        }}
      >
        {t("removeNode")}
      </Button>
    </div>
  );
}
