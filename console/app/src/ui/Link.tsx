import { createLink, type LinkComponent } from "@tanstack/react-router";
import { ExternalLink } from "lucide-react";
import type { ComponentProps } from "react";
import { type ButtonProps, buttonClass } from "./Button";
import { cn } from "./cn";

function Anchor({ className, ...rest }: ComponentProps<"a">) {
  return <a className={cn("rounded-sm text-accent hover:underline", className)} {...rest} />;
}

const MadeLink = createLink(Anchor);

/** A link to a page of the console. */
export const Link: LinkComponent<typeof Anchor> = (props) => <MadeLink preload="intent" {...props} />;

type Looking = Pick<ButtonProps, "look" | "size" | "icon">;

function ButtonAnchor({ look, size, icon: Icon, className, children, ...rest }: ComponentProps<"a"> & Looking) {
  return (
    <a className={cn(buttonClass({ look, size }), className)} {...rest}>
      {Icon && <Icon aria-hidden className="size-3.5" />}
      {children}
    </a>
  );
}

const MadeButtonLink = createLink(ButtonAnchor);

/** A link to a page of the console that looks like a button. */
export const ButtonLink: LinkComponent<typeof ButtonAnchor> = (props) => <MadeButtonLink preload="intent" {...props} />;

/** A link to another site or to the API. It opens in a new tab. */
export function OutLink({ className, children, ...rest }: ComponentProps<"a">) {
  return (
    <a
      target="_blank"
      rel="noreferrer"
      className={cn("inline-flex items-center gap-1 text-accent hover:underline", className)}
      {...rest}
    >
      {children}
      <ExternalLink aria-hidden className="size-3" />
    </a>
  );
}
