import { type CSSProperties, memo, type ReactNode, useMemo } from "react";
import { cn } from "../cn";
import { type Look, plain, spansOf } from "./ansi";
import { marksIn, pieces, type Wanted } from "./marks";
import { stampOf } from "./window";

const inks = ["text-faint", "text-bad", "text-good", "text-warn", "text-busy", "text-odd", "text-accent", "text-ink"];
const grounds = [
  "bg-line",
  "bg-bad-tint",
  "bg-good-tint",
  "bg-warn-tint",
  "bg-busy-tint",
  "bg-odd-tint",
  "bg-accent-tint",
  "bg-hover",
];

const cutMark = /… \[\d+ more bytes of this line: .*\]$/;
const hidden = /\*{3}/g;
// Executors of the XXL-JOB family frame a run with dashes and the mark-up that its old pages took: no line breaks there.
const breakAfterDashes = /(?<=-{9})<br>/g;
const breakBeforeDashes = /<br>(?=-{9})/g;

/** The classes and colours of a look. Colours of programs are brought towards the text's own, to be readable on both grounds. */
function lookOf(look: Look): { className?: string; style?: CSSProperties } {
  const style: CSSProperties = {};
  if (typeof look.ink === "string") style.color = `color-mix(in oklab, ${look.ink} 55%, var(--ink))`;
  if (typeof look.ground === "string") style.backgroundColor = `color-mix(in oklab, ${look.ground} 25%, var(--sunken))`;
  return {
    className: cn(
      typeof look.ink === "number" && inks[look.ink % 8],
      typeof look.ground === "number" && grounds[look.ground % 8],
      look.bold && "font-semibold",
      look.dim && "text-soft",
      look.italic && "italic",
      look.underline && "underline",
      look.strike && "line-through",
    ),
    style: Object.keys(style).length > 0 ? style : undefined,
  };
}

const plainLook = (look: Look) => Object.keys(look).length === 0;

/** The text of a line: colours, hits, what was masked, where it was cut. */
export const LogText = memo(function LogText({
  line,
  wanted,
  stamps,
  masked,
}: {
  line: string;
  wanted: Wanted | null;
  stamps: boolean;
  /** The hint on masked text. */
  masked: string;
}) {
  return useMemo(() => {
    const bare = plain(line);
    const stamp = stampOf(bare);
    const marks = marksIn(bare, wanted);
    const out: ReactNode[] = [];
    let at = 0;
    spansOf(line).forEach((span, index) => {
      let text = span.text;
      let begin = at;
      at += text.length;
      if (stamp && begin < stamp.length) {
        const own = text.slice(0, stamp.length - begin);
        if (stamps) {
          out.push(
            // biome-ignore lint/suspicious/noArrayIndexKey: the stretches of a line never move.
            <span key={`s${index}`} className="text-faint">
              <Hits text={own} offset={begin} marks={marks} masked={masked} />
            </span>,
          );
        }
        text = text.slice(own.length);
        begin += own.length;
      }
      if (text === "") return;
      const look = plainLook(span.look) ? {} : lookOf(span.look);
      out.push(
        // biome-ignore lint/suspicious/noArrayIndexKey: the stretches of a line never move.
        <span key={index} {...look}>
          <Hits text={text} offset={begin} marks={marks} masked={masked} />
        </span>,
      );
    });
    return <>{out}</>;
  }, [line, wanted, stamps, masked]);
});

function Hits({
  text,
  offset,
  marks,
  masked,
}: {
  text: string;
  offset: number;
  marks: [number, number][];
  masked: string;
}) {
  return pieces(text, offset, marks).map((piece, index) =>
    piece.hit ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a line never move.
      <mark key={index} className="rounded-[2px] bg-warn-tint text-ink outline outline-warn/60">
        {piece.text}
      </mark>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a line never move.
      <Marked key={index} text={piece.text} masked={masked} />
    ),
  );
}

/** Sets apart what the server put in the place of secrets, and where it cut the line. */
function Marked({ text, masked }: { text: string; masked: string }) {
  const cut = cutMark.exec(text);
  const body = cut ? text.slice(0, cut.index) : text;
  const parts = body.replace(breakAfterDashes, " ").replace(breakBeforeDashes, "").split(hidden);
  return (
    <>
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a line never move.
        <span key={index}>
          {index > 0 && (
            <span title={masked} className="rounded-[2px] bg-odd-tint px-px text-odd">
              ***
            </span>
          )}
          {part}
        </span>
      ))}
      {cut && <span className="text-soft italic">{cut[0]}</span>}
    </>
  );
}
