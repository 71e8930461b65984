import type { ReactNode } from "react";

/** The label of a checkbox or switch, with its help text: aria-describedby is `${of}-help`. */
export function ControlLabel({ of, help, children }: { of: string; help?: ReactNode; children: ReactNode }) {
  return (
    <span>
      <label htmlFor={of} className="text-sm">
        {children}
      </label>
      {help && (
        <span id={`${of}-help`} className="block text-faint text-xs">
          {help}
        </span>
      )}
    </span>
  );
}
