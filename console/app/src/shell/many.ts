/** Whether there are several namespaces: as many as are known, or as rows have. */
export function areMany(known: number, rows: readonly { namespace?: string }[] = []): boolean {
  return known > 1 || rows.some((row) => row.namespace !== rows[0]?.namespace);
}
