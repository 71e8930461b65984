/** What the list of jobs is narrowed and sorted by, as the address bar has it. */
export type JobSearch = {
  text?: string;
  group?: string;
  status?: (typeof statuses)[number];
  labels?: string[];
  /** Whether one of the labels is enough. */
  any?: boolean;
  handler?: string;
  owner?: string;
  /** The key of a calendar that they name. */
  calendar?: string;
  /** The key of the job whose code they run. */
  template?: string;
  kind?: (typeof kinds)[number];
  last?: (typeof lasts)[number];
  sort?: string;
  columns?: string[];
};

export const statuses = ["started", "stopped", "gave_up", "held"] as const;
export const kinds = ["cron", "every", "after", "daily", "once", "several", "manual"] as const;
export const lasts = ["succeeded", "failed", "timed_out", "cancelled", "lost", "skipped"] as const;
const sorts = ["key", "title", "next_at", "updated_at", "last_ended_at"];

function textOf(value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

function listOf(value: unknown): string[] | undefined {
  const list = (Array.isArray(value) ? value : [value]).map(textOf).filter((one) => one !== undefined);
  return list.length > 0 ? list : undefined;
}

function oneOf<T extends string>(value: unknown, all: readonly T[]): T | undefined {
  return all.find((one) => one === value);
}

/** Reads the address bar; what makes no sense is left out, so that an old link still opens. */
export function readSearch(raw: Record<string, unknown>): JobSearch {
  const sort = textOf(raw.sort);
  const search: JobSearch = {
    text: textOf(raw.text),
    group: textOf(raw.group),
    status: oneOf(raw.status, statuses),
    labels: listOf(raw.labels)?.slice(0, 8),
    any: raw.any === true || raw.any === "true" ? true : undefined,
    handler: textOf(raw.handler),
    owner: textOf(raw.owner),
    calendar: textOf(raw.calendar),
    template: textOf(raw.template),
    kind: oneOf(raw.kind, kinds),
    last: oneOf(raw.last, lasts),
    sort: sort && sort !== "key" && sorts.includes(sort.replace(/^-/, "")) ? sort : undefined,
    columns: listOf(raw.columns),
  };
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as JobSearch;
}

/** Whether something narrows the list. */
export function isNarrowed(search: JobSearch): boolean {
  const { sort: _sort, columns: _columns, any: _any, ...filters } = search;
  return Object.keys(readSearch(filters)).length > 0;
}

/** The parameters of list-jobs. */
export function queryOf(search: JobSearch, namespace: string) {
  return {
    namespace,
    text: search.text?.slice(0, 100),
    group: search.group,
    status: search.status,
    label: search.labels,
    label_mode: search.any && search.labels ? ("any" as const) : undefined,
    handler: search.handler,
    owner: search.owner,
    calendar: search.calendar,
    template: search.template,
    kind: search.kind,
    last: search.last,
    sort: search.sort as "key" | undefined,
  };
}

/** The filter of bulk-jobs: the same, in the words of its body. */
export function filterOf(search: JobSearch) {
  const { namespace: _namespace, label, sort: _sort, ...filter } = queryOf(search, "");
  return { ...filter, labels: label };
}

/** A view of the list that the user has named. */
export type SavedView = { name: string; search: JobSearch };

const mostViews = 30;
const keptUnder = (user: string) => `orth.jobs.views.${user}`;

/** The views that a user has kept in this browser. */
export function readViews(user: string, storage: Pick<Storage, "getItem"> = localStorage): SavedView[] {
  try {
    const kept: unknown = JSON.parse(storage.getItem(keptUnder(user)) ?? "[]");
    if (!Array.isArray(kept)) return [];
    return kept.flatMap((one: unknown) => {
      const { name, search } = (one ?? {}) as Partial<SavedView>;
      if (typeof name !== "string" || typeof search !== "object" || search === null) return [];
      return [{ name, search: readSearch(search as Record<string, unknown>) }];
    });
  } catch {
    return [];
  }
}

/** Keeps the views of a user; returns whether the browser does. */
export function keepViews(
  user: string,
  views: readonly SavedView[],
  storage: Pick<Storage, "setItem"> = localStorage,
): boolean {
  try {
    storage.setItem(keptUnder(user), JSON.stringify(views.slice(0, mostViews)));
    return true;
  } catch {
    return false;
  }
}

/** Adds a view; one of the same name is replaced. */
export function withView(views: readonly SavedView[], view: SavedView): SavedView[] {
  return [...views.filter((one) => one.name !== view.name), view].sort((a, b) => a.name.localeCompare(b.name));
}

/** Whether two searches are the same, in whatever order they were written. */
export function sameSearch(a: JobSearch, b: JobSearch): boolean {
  const sorted = (search: JobSearch) => JSON.stringify(Object.entries(readSearch(search)).sort());
  return sorted(a) === sorted(b);
}
