import { type ReactNode, useId } from "react";

/** A part of a long form with a head. */
export function Part({ title, text, children }: { title: ReactNode; text?: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex flex-col gap-3">
      <div className="border-b pb-1">
        <h3 id={id} className="text-sm">
          {title}
        </h3>
        {text && <p className="text-faint text-xs">{text}</p>}
      </div>
      {children}
    </section>
  );
}
