import { cn } from "./cn";
import { Panel, type PanelProps } from "./Panel";

export type DialogProps = PanelProps & { size?: "small" | "normal" | "large" };

const widths = { small: "max-w-md", normal: "max-w-xl", large: "max-w-4xl" };

/** Something to do before anything else. Esc closes it. */
export function Dialog({ size = "normal", ...panel }: DialogProps) {
  return (
    <Panel
      {...panel}
      looks={{
        sheet: cn("anim-rise inset-x-3 top-[max(0.75rem,8vh)] mx-auto max-h-[84vh] rounded-lg border", widths[size]),
        head: "pt-4 pb-2",
        text: "mt-1",
        body: "py-2",
        foot: "pt-2 pb-4",
      }}
    />
  );
}
