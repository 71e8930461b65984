import { type ClassValue, clsx } from "clsx";
import { extendTailwindMerge } from "tailwind-merge";

const merge = extendTailwindMerge({ extend: { classGroups: { "font-size": ["text-2xs"] } } });

/** Joins class names; of two that say the same, the later one counts. */
export function cn(...classes: ClassValue[]): string {
  return merge(clsx(classes));
}
