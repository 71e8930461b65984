import type { ReactNode } from "react";
import { type FieldPath, type FieldPathValue, useController } from "react-hook-form";
import { Field, type FieldProps } from "@/ui/Field";
import { Input } from "@/ui/Input";
import { type Option, Select } from "@/ui/Select";
import type { JobValues } from "./values";

type Name = FieldPath<JobValues>;
type Shown = Omit<FieldProps, "children" | "error">;

/** A field of the form with its label, and with what the browser or the server has against it. */
export function Bound<N extends Name>({
  name,
  children,
  ...rest
}: Shown & {
  name: N;
  children: (value: FieldPathValue<JobValues, N>, set: (value: FieldPathValue<JobValues, N>) => void) => ReactNode;
}) {
  const { field, fieldState } = useController<JobValues, N>({ name });
  return (
    <Field {...rest} error={fieldState.error?.message}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it hears of the blur of the control within. */}
      <div className="contents" onBlur={field.onBlur}>
        {children(field.value, field.onChange)}
      </div>
    </Field>
  );
}

/** A line of text of the form. */
export function BoundText({
  name,
  mono,
  placeholder,
  numeric,
  disabled,
  ...rest
}: Shown & { name: Name; mono?: boolean; placeholder?: string; numeric?: boolean; disabled?: boolean }) {
  return (
    <Bound name={name} {...rest}>
      {(value, set) => (
        <Input
          mono={mono}
          inputMode={numeric ? "numeric" : undefined}
          placeholder={placeholder}
          disabled={disabled}
          value={String(value ?? "")}
          onChange={(event) => set(event.target.value as never)}
        />
      )}
    </Bound>
  );
}

/** One of a few of the form. */
export function BoundSelect({ name, options, ...rest }: Shown & { name: Name; options: readonly Option[] }) {
  return (
    <Bound name={name} {...rest}>
      {(value, set) => <Select value={String(value)} onChange={(next) => set(next as never)} options={options} />}
    </Bound>
  );
}
