/** The mark of Orth with its name. */
export function Mark() {
  return (
    <span className="inline-flex items-center gap-2 font-semibold text-base">
      <svg aria-hidden="true" viewBox="0 0 32 32" className="size-5">
        <rect width="32" height="32" rx="7" className="fill-accent" />
        <g fill="none" className="stroke-accent-ink" strokeWidth="3" strokeLinecap="round" strokeLinejoin="round">
          <path d="M16 6.5a9.5 9.5 0 1 0 9.5 9.5" />
          <path d="M16 10.5V16l4 3" />
        </g>
        <circle cx="23.2" cy="8.8" r="2.3" className="fill-accent-ink" />
      </svg>
      Orth
    </span>
  );
}
