import groups from "../../../../../internal/reason/reasons.json";

/**
 * What the server keeps in words as the reason of a run, of an attempt, of a node of a workflow, of a job that was
 * stopped or of an alarm: its English, and what that is in 简体中文 and 繁體中文. Names in braces stand for what changes; a
 * part in brackets may be missing. `reason`, `last` and `note` stand for a reason within a reason. The server has the
 * same list, for the texts of alarms.
 */
export type Reason = readonly [english: string, hans: string, hant: string];

/** All reasons, the more specific ones first. */
export const reasons: readonly Reason[] = groups.flatMap((group) =>
  group.reasons.map((one) => [one.en, one["zh-CN"], one["zh-TW"]] as const),
);
