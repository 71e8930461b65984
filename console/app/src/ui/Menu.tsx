import { Check, type LucideIcon } from "lucide-react";
import { DropdownMenu as M } from "radix-ui";
import type { ReactElement, ReactNode } from "react";
import { cn } from "./cn";
import { Keys } from "./Keys";
import { itemClass, popupClass } from "./popup";

/** A menu that opens at the one element given as `trigger`. */
export function Menu({
  trigger,
  align = "end",
  side,
  children,
}: {
  trigger: ReactElement;
  align?: "start" | "center" | "end";
  side?: "top" | "bottom" | "right";
  children: ReactNode;
}) {
  return (
    <M.Root modal={false}>
      <M.Trigger asChild>{trigger}</M.Trigger>
      <M.Portal>
        <M.Content
          align={align}
          side={side}
          sideOffset={4}
          collisionPadding={8}
          className={cn(
            popupClass,
            "max-h-(--radix-dropdown-menu-content-available-height) min-w-44 overflow-y-auto p-1",
          )}
        >
          {children}
        </M.Content>
      </M.Portal>
    </M.Root>
  );
}

/** A menu item. A `reason` disables it and is shown. */
export function MenuItem({
  icon: Icon,
  keys,
  danger,
  reason,
  onSelect,
  children,
}: {
  icon?: LucideIcon;
  keys?: string;
  danger?: boolean;
  reason?: string;
  onSelect: () => void;
  children: ReactNode;
}) {
  return (
    <M.Item
      disabled={Boolean(reason)}
      onSelect={onSelect}
      className={cn(itemClass, danger && !reason && "text-bad data-highlighted:bg-bad-tint")}
    >
      {Icon && <Icon aria-hidden className="size-3.5 shrink-0 opacity-80" />}
      <span className="flex-1">
        {children}
        {reason && <span className="block max-w-56 text-xs">{reason}</span>}
      </span>
      {keys && <Keys keys={keys} />}
    </M.Item>
  );
}

/** A line that is on or off; the menu stays open. */
export function MenuCheck({
  checked,
  disabled,
  onChange,
  children,
}: {
  checked: boolean;
  disabled?: boolean;
  onChange: (checked: boolean) => void;
  children: ReactNode;
}) {
  return (
    <M.CheckboxItem
      checked={checked}
      disabled={disabled}
      onCheckedChange={onChange}
      onSelect={(event) => event.preventDefault()}
      className={itemClass}
    >
      <span className="size-3.5">
        <M.ItemIndicator>
          <Check aria-hidden className="size-3.5 text-accent" />
        </M.ItemIndicator>
      </span>
      {children}
    </M.CheckboxItem>
  );
}

/** One of a few lines. */
export function MenuRadio<V extends string>({
  value,
  onChange,
  options,
}: {
  value: V;
  onChange: (value: V) => void;
  options: readonly { value: V; label: ReactNode }[];
}) {
  return (
    <M.RadioGroup value={value} onValueChange={(chosen) => onChange(chosen as V)}>
      {options.map((option) => (
        <M.RadioItem key={option.value} value={option.value} className={itemClass}>
          <span className="size-3.5">
            <M.ItemIndicator>
              <Check aria-hidden className="size-3.5 text-accent" />
            </M.ItemIndicator>
          </span>
          {option.label}
        </M.RadioItem>
      ))}
    </M.RadioGroup>
  );
}

/** A head above lines. */
export function MenuLabel({ children }: { children: ReactNode }) {
  return <M.Label className="px-2 pt-1.5 pb-1 text-faint text-xs">{children}</M.Label>;
}

/** A thin line between lines. */
export function MenuLine() {
  return <M.Separator className="-mx-1 my-1 h-px bg-line" />;
}
