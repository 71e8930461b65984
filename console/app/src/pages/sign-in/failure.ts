const known = ["denied", "expired", "not_allowed", "provider"] as const;

/** The key of the words for a failed sign-in at the provider: codes that nobody knows have a sentence of their own. */
export function failureOf(code: string): (typeof known)[number] | "failedOther" {
  return known.find((one) => one === code) ?? "failedOther";
}
