import type { ReactNode } from "react";
import { type FieldPath, type FieldPathValue, useController } from "react-hook-form";
import { Field, type FieldProps } from "@/ui/Field";
import { Input } from "@/ui/Input";
import { type Option, Select } from "@/ui/Select";
import type { JobValues } from "./values";

type Name = FieldPath<JobValues>;
type Shown = Omit<FieldProps, "children" | "error" | "name">;

/** A value of the form as a field of the same name, which the API uses too. */
export function Bound<N extends Name>({
  name,
  field: told = name,
  children,
  ...rest
}: Shown & {
  name: N;
  /** Its name in the API, where that is another one. */
  field?: string;
  children: (value: FieldPathValue<JobValues, N>, set: (value: FieldPathValue<JobValues, N>) => void) => ReactNode;
}) {
  const { field } = useController<JobValues, N>({ name });
  return (
    <Field {...rest} name={told}>
      {children(field.value, field.onChange)}
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
