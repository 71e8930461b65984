import type { ReactNode } from "react";

/** The words beside a box or a switch, and what helps to choose: aria-describedby names `${of}-help`. */
export function Beside({ of, help, children }: { of: string; help?: ReactNode; children: ReactNode }) {
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
