import { reasonText } from "./reasonText";

/** A reason of the server in one line, in the language in use. */
export default function Reason({ text }: { text: string | undefined }) {
  const told = reasonText(text);
  return (
    <span className="min-w-0 truncate text-faint" title={told}>
      {told}
    </span>
  );
}
