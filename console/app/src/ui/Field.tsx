import { CircleAlert } from "lucide-react";
import { createContext, type FocusEvent, type ReactNode, useContext, useEffect, useId, useMemo } from "react";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { cn } from "./cn";
import { FormContext } from "./form/scope";

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
  /** Its name in the form around it, which then knows what is wrong with it. */
  name?: string;
  label: ReactNode;
  /** Help text, if the label is not enough. */
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
export function Field({ name, label, help, error: given, required, group, aside, className, children }: FieldProps) {
  const id = useId();
  const t = useWords(sharedWords);
  const form = useContext(FormContext);
  const register = form?.register;
  useEffect(() => (name ? register?.(name) : undefined), [name, register]);
  const error = given || (name ? form?.errors[name] : undefined);
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
  const marks = name
    ? {
        "data-field": name,
        "data-wrong": hasError ? "" : undefined,
        onInput: () => form?.typed(name),
        onBlur: (event: FocusEvent) => {
          if (!event.currentTarget.contains(event.relatedTarget)) form?.blurred(name);
        },
      }
    : {};
  const grouped = { role: "group", "aria-labelledby": `${id}-label`, "aria-describedby": context.errorId };
  return (
    <Context.Provider value={context}>
      <div className={cn("flex min-w-0 flex-col gap-1", className)} {...marks} {...(group ? grouped : {})}>
        <div className="flex items-baseline justify-between gap-2">
          <Label id={`${id}-label`} className="font-medium text-sm" {...(group ? {} : { htmlFor: id })}>
            {label}
            {required && (
              <span className="text-faint" title={t("required")} aria-hidden>
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
