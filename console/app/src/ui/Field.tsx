import { CircleAlert } from "lucide-react";
import { createContext, type ReactNode, useContext, useId, useMemo } from "react";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { cn } from "./cn";

type FieldContext = { id: string; helpId?: string; errorId?: string; required?: boolean };

const Context = createContext<FieldContext | null>(null);

type Given = { id?: string; "aria-describedby"?: string; "aria-invalid"?: unknown };

/** What a control takes from the Field around it: its id, and what describes it. */
export function useFieldProps(given: Given) {
  const field = useContext(Context);
  if (!field) return {};
  const described = [given["aria-describedby"], field.helpId, field.errorId].filter(Boolean).join(" ");
  return {
    id: given.id ?? field.id,
    "aria-describedby": described || undefined,
    "aria-invalid": field.errorId ? true : undefined,
    "aria-required": field.required || undefined,
  } as const;
}

export type FieldProps = {
  label: ReactNode;
  /** What it means, when the label cannot say it all. */
  help?: ReactNode;
  error?: ReactNode;
  required?: boolean;
  /** For groups of controls, which have a legend in place of a label. */
  group?: boolean;
  /** What stands at the right of the label. */
  aside?: ReactNode;
  className?: string;
  children: ReactNode;
};

/** A control with its label, its help and what is wrong with it. */
export function Field({ label, help, error, required, group, aside, className, children }: FieldProps) {
  const id = useId();
  const t = useWords(sharedWords);
  const hasHelp = Boolean(help);
  const hasError = Boolean(error);
  const context = useMemo(
    () => ({
      id,
      helpId: hasHelp ? `${id}-help` : undefined,
      errorId: hasError ? `${id}-error` : undefined,
      required,
    }),
    [id, hasHelp, hasError, required],
  );
  const Label = group ? "span" : "label";
  return (
    <Context.Provider value={context}>
      <div
        className={cn("flex min-w-0 flex-col gap-1", className)}
        {...(group ? { role: "group", "aria-labelledby": `${id}-label` } : {})}
      >
        <div className="flex items-baseline justify-between gap-2">
          <Label id={`${id}-label`} className="font-medium text-sm" {...(group ? {} : { htmlFor: id })}>
            {label}
            {required && (
              <span className="text-bad" title={t("required")} aria-hidden>
                {" *"}
              </span>
            )}
          </Label>
          {aside && <span className="text-faint text-xs">{aside}</span>}
        </div>
        {children}
        {hasError && (
          <p id={`${id}-error`} role="alert" className="flex items-start gap-1 text-bad text-xs">
            <CircleAlert aria-hidden className="mt-0.5 size-3 shrink-0" />
            <span>{error}</span>
          </p>
        )}
        {hasHelp && (
          <p id={`${id}-help`} className="text-faint text-xs">
            {help}
          </p>
        )}
      </div>
    </Context.Provider>
  );
}
