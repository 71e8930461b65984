import type { Schema } from "@/api/types";

export type Secret = Schema<"Secret">;

/** How a job refers to a secret; `form` writes the value another way, such as within an address. */
export const reference = (key: string, form?: "url") => `\${secret:${key}${form ? `|${form}` : ""}}`;

/** The variable by which scripts read a label: api-token is ORTH_LABEL_API_TOKEN. */
export const labelVariable = (label: string) => `ORTH_LABEL_${label.toUpperCase().replace(/[^A-Z0-9]/g, "_")}`;

/** The secrets that a list is narrowed to: by all words of a text, and by a group whose jobs may use them. */
export function narrowed(all: readonly Secret[], text = "", group = ""): Secret[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return all.filter((one) => {
    const hay = `${one.key} ${one.title ?? ""}`.toLowerCase();
    const serves = !group || !one.groups?.length || one.groups.includes(group);
    return serves && words.every((word) => hay.includes(word));
  });
}

/** The label that a reference stands in: "labels.token" is "token"; null for the parameter. */
export const labelOf = (field: string) => (field.startsWith("labels.") ? field.slice("labels.".length) : null);

/** Reports whether the user may manage a secret: an owner of all its groups, or of the namespace if it has none. */
export function keeps(
  may: (right: "own", namespace: string, group: string) => boolean,
  namespace: string,
  groups: readonly string[] | undefined,
): boolean {
  return groups?.length ? groups.every((group) => may("own", namespace, group)) : may("own", namespace, "*");
}
