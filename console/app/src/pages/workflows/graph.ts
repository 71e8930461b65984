import type { Schema } from "@/api/types";

export type Node = Schema<"WorkflowNode">;
export type Edge = Schema<"WorkflowEdge">;
export type Condition = NonNullable<Edge["on"]>;

/** An error in a workflow that the browser can detect: a code and its subject. */
export type Fault = {
  /** The name of the field in the API. */
  field: string;
  fault: "p_name" | "p_twice" | "p_job" | "p_unknown" | "p_cycle" | "p_none";
  values: Record<string, string | number>;
};

const key = /^[a-z0-9]([a-z0-9._-]{0,62}[a-z0-9])?$/;

/** Whether a text may name a node or a workflow. */
export const isKey = (text: string): boolean => key.test(text);

const afterOf = (node: Node): Edge[] => node.after ?? [];

/** The condition of an edge. */
export const conditionOf = (edge: Edge): Condition => edge.on ?? "success";

/** Whether a node waits for another one, also over others. */
export function waitsFor(nodes: readonly Node[], name: string, other: string, seen = new Set<string>()): boolean {
  if (seen.has(name)) return false;
  seen.add(name);
  const node = nodes.find((one) => one.name === name);
  if (!node) return false;
  return afterOf(node).some((edge) => edge.node === other || waitsFor(nodes, edge.node, other, seen));
}

/** Everything wrong with nodes. */
export function faultsOf(nodes: readonly Node[]): Fault[] {
  if (nodes.length === 0) return [{ field: "nodes", fault: "p_none", values: {} }];
  const faults: Fault[] = [];
  const names = new Set<string>();
  nodes.forEach((node, index) => {
    const { name } = node;
    const add = (part: string, fault: Fault["fault"], values: Fault["values"]) =>
      faults.push({ field: `nodes.${index}.${part}`, fault, values });
    if (!isKey(name)) add("name", "p_name", { at: index + 1 });
    if (names.has(name)) add("name", "p_twice", { name });
    names.add(name);
    if (!node.job) add("job", "p_job", { name });
    for (const edge of afterOf(node)) {
      if (!nodes.some((one) => one.name === edge.node)) add("after", "p_unknown", { name, node: edge.node });
    }
    if (waitsFor(nodes, name, name)) add("after", "p_cycle", { name });
  });
  return faults;
}

/** The index of the node that a field of the API belongs to; undefined for a field of no single node. */
export function nodeOfField(field: string): number | undefined {
  const [, index] = /^nodes[.[](\d+)/.exec(field) ?? [];
  return index === undefined ? undefined : Number(index);
}

/** A name for a new node of a job: the job's key, with a number when it is taken. */
export function freeName(nodes: readonly Node[], job: string): string {
  const taken = new Set(nodes.map((node) => node.name));
  if (!taken.has(job)) return job;
  for (let n = 2; ; n++) {
    const name = `${job.slice(0, 60)}-${n}`;
    if (!taken.has(name)) return name;
  }
}

/** Adds a node for a job. */
export function withNode(nodes: readonly Node[], job: string): Node[] {
  return [...nodes, { name: freeName(nodes, job), job }];
}

/** Takes a node out, and the edges from it. */
export function withoutNode(nodes: readonly Node[], name: string): Node[] {
  return nodes
    .filter((node) => node.name !== name)
    .map((node) =>
      withAfter(
        node,
        afterOf(node).filter((edge) => edge.node !== name),
      ),
    );
}

/** Changes a node. With another name the edges from it follow. */
export function changed(nodes: readonly Node[], name: string, change: Partial<Node>): Node[] {
  const renamed = change.name !== undefined && change.name !== name ? change.name : null;
  return nodes.map((node) => {
    const own = node.name === name ? clean({ ...node, ...change }) : node;
    if (renamed === null) return own;
    return withAfter(
      own,
      afterOf(own).map((edge) => (edge.node === name ? { ...edge, node: renamed } : edge)),
    );
  });
}

/** Makes a node wait for another one, or changes on what. Null when that would make a cycle. */
export function connected(nodes: readonly Node[], from: string, to: string, on: Condition = "success"): Node[] | null {
  if (from === to || waitsFor(nodes, from, to)) return null;
  return nodes.map((node) => {
    if (node.name !== to) return node;
    const others = afterOf(node).filter((edge) => edge.node !== from);
    const known = afterOf(node).some((edge) => edge.node === from);
    const edge: Edge = on === "success" ? { node: from } : { node: from, on };
    return withAfter(node, known ? afterOf(node).map((one) => (one.node === from ? edge : one)) : [...others, edge]);
  });
}

/** Ends that a node waits for another one. */
export function disconnected(nodes: readonly Node[], from: string, to: string): Node[] {
  return nodes.map((node) =>
    node.name === to
      ? withAfter(
          node,
          afterOf(node).filter((edge) => edge.node !== from),
        )
      : node,
  );
}

function withAfter(node: Node, after: Edge[]): Node {
  return clean({ ...node, after: after.length > 0 ? after : undefined });
}

/** Leaves out what is absent and what is the default, so that texts stay short. */
function clean(node: Node): Node {
  const { after, join, param, ...rest } = node;
  return {
    ...rest,
    ...(param === undefined ? {} : { param }),
    ...(join && join !== "all" && after && after.length > 1 ? { join } : {}),
    ...(after && after.length > 0 ? { after } : {}),
  };
}

/** What the text view shows and takes. */
export type Draft = { title: string; nodes: Node[] };

/** A workflow as text. */
export function textOf(draft: Draft): string {
  return `${JSON.stringify({ ...(draft.title ? { title: draft.title } : {}), nodes: draft.nodes.map(clean) }, null, 2)}\n`;
}

/** Reads the text view. Throws with what is wrong. */
export function readText(text: string): Draft {
  const read: unknown = JSON.parse(text);
  if (typeof read !== "object" || read === null || !Array.isArray((read as Draft).nodes)) throw new Error("nodes: []");
  const { title, nodes } = read as { title?: unknown; nodes: unknown[] };
  for (const [index, node] of nodes.entries()) {
    const { name, job, after } = (node ?? {}) as Record<string, unknown>;
    if (typeof name !== "string" || typeof job !== "string") throw new Error(`nodes[${index}]: { name, job }`);
    if (after !== undefined && !Array.isArray(after)) throw new Error(`nodes[${index}].after: []`);
    for (const edge of (after as { node?: unknown }[] | undefined) ?? []) {
      if (typeof edge?.node !== "string") throw new Error(`nodes[${index}].after: { node }`);
    }
  }
  return { title: typeof title === "string" ? title : "", nodes: nodes as Node[] };
}

/** The nodes from which a run goes on when it is resumed: those that made it fail or were cancelled, and all that wait for them. */
export function resumedFrom(nodes: readonly Schema<"NodeRun">[]): string[] {
  const bad = nodes.filter((node) => node.state === "failed" || node.state === "cancelled").map((node) => node.name);
  return nodes
    .filter((node) => bad.includes(node.name) || bad.some((name) => waitsFor(nodes, node.name, name)))
    .map((node) => node.name);
}
