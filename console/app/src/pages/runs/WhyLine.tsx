import { oneLine } from "./timeline";

/** Why a run ended badly, below the head of a page: two lines of it, and all of it on hover. */
export function WhyLine({ text }: { text: string }) {
  return (
    <span className="line-clamp-2 break-words text-bad" title={text}>
      {oneLine(text)}
    </span>
  );
}
