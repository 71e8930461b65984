import { createContext } from "react";

/** What fields take from the form around them. */
export type FormScope = {
  /** What is wrong with each field that has a fault to show. */
  errors: Readonly<Record<string, string>>;
  /** Notes that the form shows a field, until what it returns is called. */
  register: (name: string) => () => void;
  /** Records that the user edits a field. */
  typed: (name: string) => void;
  /** Notes that the focus leaves a field. */
  blurred: (name: string) => void;
};

/** The form around a field; null outside of forms. */
export const FormContext = createContext<FormScope | null>(null);
