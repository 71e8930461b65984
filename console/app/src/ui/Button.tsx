import { cva, type VariantProps } from "class-variance-authority";
import type { LucideIcon } from "lucide-react";
import type { ComponentProps } from "react";
import { cn } from "./cn";
import { Tooltip } from "./Tooltip";

/** The classes of buttons, for links that look like one. */
export const buttonClass = cva(
  "inline-flex shrink-0 select-none items-center justify-center gap-1.5 whitespace-nowrap rounded-md border font-medium text-sm transition-colors disabled:cursor-not-allowed disabled:opacity-50 aria-disabled:cursor-not-allowed aria-disabled:opacity-50",
  {
    variants: {
      look: {
        main: "border-transparent bg-accent text-accent-ink enabled:hover:bg-accent-strong",
        plain: "border-line-strong bg-raised text-ink enabled:hover:bg-hover",
        quiet: "border-transparent bg-transparent text-soft hover:bg-hover hover:text-ink",
        danger: "border-transparent bg-bad text-bad-ink enabled:hover:brightness-95",
        dangerPlain: "border-line-strong bg-raised text-bad enabled:hover:bg-bad-tint",
      },
      size: { small: "h-7 px-2", normal: "h-8 px-3", large: "h-9 px-4" },
    },
    defaultVariants: { look: "plain", size: "normal" },
  },
);

type Looks = VariantProps<typeof buttonClass>;

export type ButtonProps = ComponentProps<"button"> &
  Looks & {
    icon?: LucideIcon;
    /** It works on what was asked: pressing it again does nothing. Its width stays. */
    busy?: boolean;
    /** Why it cannot be pressed; shown when it is pointed at, read out when focused. */
    reason?: string;
  };

/** A button with words. With a `reason` it can be focused, but not pressed. */
export function Button({ look, size, icon: Icon, busy, reason, className, children, onClick, ...rest }: ButtonProps) {
  const button = (
    <button
      type="button"
      className={cn(buttonClass({ look, size }), busy && "anim-breathe", className)}
      aria-busy={busy || undefined}
      aria-disabled={reason || busy ? true : undefined}
      {...rest}
      onClick={reason || busy ? (event) => event.preventDefault() : onClick}
    >
      {Icon && <Icon aria-hidden className="size-3.5" />}
      {children}
    </button>
  );
  return reason ? <Tooltip text={reason}>{button}</Tooltip> : button;
}
