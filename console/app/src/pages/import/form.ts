import type { Schema } from "@/api/types";

export type Report = Schema<"Import">;
export type Item = Schema<"ImportItem">;
type NewImport = Schema<"NewImport">;
export type Kind = NewImport["kind"];

/** What the form of an import holds: the fields of the API, and groups as lines. */
export type ImportForm = Required<Omit<NewImport, "dry_run" | "groups" | "$schema">> & { groups: string };

/** What is asked for before anything is typed. */
export const initialForm: ImportForm = {
  kind: "database",
  namespace: "default",
  zone: "",
  prefix: "",
  start: false,
  address: "",
  user: "",
  password: "",
  table_prefix: "",
  users: false,
  role: "editor",
  executors: false,
  text: "",
  group: "",
  groups: "",
  system: false,
};

const common = ["namespace", "zone", "prefix", "start"] as const;
const own: Record<Kind, readonly (keyof ImportForm)[]> = {
  database: [...common, "address", "user", "password", "table_prefix", "users", "role", "executors"],
  json: ["namespace", "zone", "text", "group", "groups"],
  crontab: [...common, "text", "group", "system"],
  kubernetes: [...common, "text", "group"],
};

/** Whether a kind of import has a field. */
export function kindHasField(kind: Kind, field: keyof ImportForm): boolean {
  return own[kind].includes(field);
}

/** Lines such as `1=reports` as an object. */
export function groupsOf(lines: string): Record<string, string> {
  return Object.fromEntries(
    lines
      .split(/[\n,]/)
      .map((line) => line.split("=").map((part) => part.trim()))
      .filter(([number]) => number)
      .map(([number, key]) => [number, key ?? ""]),
  );
}

/** The request of a wish: what its kind has and is not empty. */
export function requestOf(wish: ImportForm, dryRun: boolean): NewImport {
  const body: Record<string, unknown> = { kind: wish.kind, dry_run: dryRun };
  for (const field of own[wish.kind]) {
    const value = wish[field];
    if (field === "groups") {
      const groups = groupsOf(wish.groups);
      if (Object.keys(groups).length > 0) body.groups = groups;
    } else if (value !== "" && value !== false) {
      body[field] = value;
    }
  }
  if (!wish.users) delete body.role;
  return body as NewImport;
}

/** What must be filled in before the server can be asked. */
export type MissingField = "namespace" | "address" | "text" | "group" | "groups";

/** The first of what is missing, in the order of the form; none when enough is filled in. */
export function missingField(wish: ImportForm): MissingField | undefined {
  if (wish.kind === "database" && wish.address.trim() === "") return "address";
  if (wish.kind !== "database" && wish.text.trim() === "") return "text";
  if (wish.namespace === "") return "namespace";
  if (wish.kind === "database" || wish.group !== "") return undefined;
  if (wish.kind !== "json") return "group";
  return wish.groups.trim() === "" ? "groups" : undefined;
}

/** Counts the items of a report that match a predicate, by kind. */
export function countBy(items: readonly Item[], which: (item: Item) => boolean): Record<Item["kind"], number> {
  const counts = { group: 0, job: 0, executor: 0, user: 0 };
  for (const item of items) if (which(item)) counts[item.kind]++;
  return counts;
}

/** Whether an import would change something. */
export function hasChanges(report: Report): boolean {
  return report.items.some((item) => item.action !== "none");
}

/** The order in which people read the items: what failed first, then what changes, then the rest. */
export function sortItems(items: readonly Item[]): Item[] {
  const rank = (item: Item) => (item.result === "failed" ? 0 : item.action === "none" ? 2 : 1);
  return [...items].sort((a, b) => rank(a) - rank(b));
}
