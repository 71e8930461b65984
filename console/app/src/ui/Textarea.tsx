import type { ComponentProps } from "react";
import { cn } from "./cn";
import { useFieldProps } from "./Field";
import { controlClass } from "./Input";

/** Lines of text. It grows with what is typed. */
export function Textarea({ mono, className, ...rest }: ComponentProps<"textarea"> & { mono?: boolean }) {
  const field = useFieldProps(rest);
  return (
    <textarea
      rows={3}
      spellCheck={false}
      {...rest}
      {...field}
      className={cn(controlClass, "field-sizing-content h-auto min-h-16 py-1.5", mono && "font-mono", className)}
    />
  );
}
