/** A library that is built into the console, with the licence that it is under. */
export type Notice = { name: string; version: string; identifier: string | null; text: string };

/** Reads what the build has written about the libraries in the bundle; null when it is nothing of the kind. */
export function parseNotices(read: unknown): Notice[] | null {
  if (!Array.isArray(read)) return null;
  const notices = read.flatMap((one: Partial<Notice> | null): Notice[] =>
    one && typeof one.name === "string"
      ? [
          {
            name: one.name,
            version: String(one.version ?? ""),
            identifier: one.identifier ?? null,
            text: String(one.text ?? ""),
          },
        ]
      : [],
  );
  return notices.length > 0 ? notices.sort((a, b) => a.name.localeCompare(b.name)) : null;
}

/** Whether all that runs is of one version. */
export const oneVersion = (versions: readonly string[]) => new Set(versions).size <= 1;
