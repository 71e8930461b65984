const known = ["denied", "expired", "not_allowed", "provider"] as const;

/** The key of the message for a failed provider sign-in; unknown codes share one. */
export function failureOf(code: string): (typeof known)[number] | "failedOther" {
  return known.find((one) => one === code) ?? "failedOther";
}
