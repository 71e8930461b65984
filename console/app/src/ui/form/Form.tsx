import { CircleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { Button, type ButtonProps } from "../Button";
import { ErrorState } from "../ErrorState";
import { FormContext } from "./scope";
import type { FormState } from "./useForm";

/** A form: its fields, and above them what is wrong and belongs to none of them. */
export function Form({
  form,
  onSubmit,
  instead,
  className,
  children,
}: {
  form: FormState;
  onSubmit: () => void;
  /** What is shown in place of the problem, when the form knows a way on. */
  instead?: ReactNode;
  className?: string;
  children: ReactNode;
}) {
  return (
    <FormContext.Provider value={form.scope}>
      <form
        id={form.id}
        ref={form.element}
        noValidate
        className={className}
        onSubmit={(event) => {
          event.preventDefault();
          // A dialog within another form of the page is no part of that form.
          event.stopPropagation();
          if (!form.busy) onSubmit();
        }}
      >
        {(instead || form.left) && (
          <div data-problem tabIndex={-1} className="rounded-md outline-offset-2">
            {instead || <ErrorState compact problem={form.left} />}
          </div>
        )}
        {children}
      </form>
    </FormContext.Provider>
  );
}

/** The button that sends a form, wherever it stands, with how many fields need attention. */
export function Submit({ form, look = "main", busy, ...rest }: Omit<ButtonProps, "form"> & { form: FormState }) {
  return (
    <>
      <Attention form={form} className="order-first mr-auto self-center empty:hidden" />
      <Button type="submit" form={form.id} look={look} busy={busy || form.busy} {...rest} />
    </>
  );
}

/** How many fields need attention; pressed, it leads to the first. */
export function Attention({ form, className }: { form: FormState; className?: string }) {
  const t = useWords(sharedWords);
  return (
    <span role="status" className={className}>
      {form.wrong > 0 && (
        <button
          type="button"
          className="inline-flex items-center gap-1 rounded-sm text-bad text-xs underline-offset-2 hover:underline"
          onClick={form.attend}
        >
          <CircleAlert aria-hidden className="size-3.5 shrink-0" />
          {t("attention", { count: form.wrong })}
        </button>
      )}
    </span>
  );
}
