import { cn } from "./cn";

/** Keys to press: with spaces between those pressed one after the other. */
export function Keys({ keys, inverted }: { keys: string; inverted?: boolean }) {
  return (
    <span className="inline-flex gap-1">
      {keys.split(" ").map((key) => (
        <kbd
          key={key}
          className={cn(
            "rounded-sm border px-1 font-sans text-2xs",
            inverted ? "border-current opacity-80" : "border-line-strong bg-sunken text-soft",
          )}
        >
          {key}
        </kbd>
      ))}
    </span>
  );
}
