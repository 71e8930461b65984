import type { ComponentProps } from "react";
import { cn } from "@/ui/cn";
import { Textarea } from "@/ui/Textarea";

/** Takes a value of one line or several; dots stand for what was typed unless it is to be seen. */
export function ValueInput({ seen, className, ...rest }: ComponentProps<"textarea"> & { seen: boolean }) {
  return (
    <Textarea
      mono
      autoComplete="off"
      {...rest}
      className={cn("max-h-64", !seen && "[-webkit-text-security:disc]", className)}
    />
  );
}
