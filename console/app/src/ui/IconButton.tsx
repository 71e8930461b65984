import type { LucideIcon } from "lucide-react";
import type { ComponentProps } from "react";
import { buttonClass } from "./Button";
import { cn } from "./cn";
import { Tooltip } from "./Tooltip";

export type IconButtonProps = Omit<ComponentProps<"button">, "children"> & {
  icon: LucideIcon;
  /** What it does, in words: its name, and its tooltip. */
  label: string;
  /** The keys that do the same, such as "⌘K". */
  keys?: string;
  look?: "plain" | "quiet" | "dangerPlain";
  size?: "small" | "normal";
  /** Why it cannot be pressed. */
  reason?: string;
};

/** A button that is an icon alone. */
export function IconButton({
  icon: Icon,
  label,
  keys,
  look = "quiet",
  size = "normal",
  reason,
  className,
  onClick,
  ...rest
}: IconButtonProps) {
  return (
    <Tooltip text={reason ? `${label}: ${reason}` : label} keys={keys}>
      <button
        type="button"
        aria-label={label}
        aria-disabled={reason ? true : undefined}
        className={cn(buttonClass({ look }), size === "small" ? "size-6" : "size-8", "p-0", className)}
        {...rest}
        onClick={reason ? (event) => event.preventDefault() : onClick}
      >
        <Icon aria-hidden className={size === "small" ? "size-3.5" : "size-4"} />
      </button>
    </Tooltip>
  );
}
