import { cn } from "./cn";
import { Panel, type PanelProps } from "./Panel";

/** A side panel to view or edit an object while the list stays visible. */
export function Drawer({ wide, ...panel }: PanelProps & { wide?: boolean }) {
  return (
    <Panel
      {...panel}
      looks={{
        sheet: cn("anim-slide inset-y-0 right-0 w-full border-l", wide ? "sm:max-w-4xl" : "sm:max-w-lg"),
        head: "border-b py-3",
        text: "mt-0.5",
        body: "py-4",
        foot: "border-t py-3",
      }}
    />
  );
}
