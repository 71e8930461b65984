import { ChevronRight } from "lucide-react";
import { Fragment, type ReactNode, useEffect } from "react";

export type PageHeaderProps = {
  title: ReactNode;
  /** Title of the browser tab, if the title is not plain text. */
  documentTitle?: string;
  /** Links to the pages above, the topmost first. */
  crumbs?: ReactNode[];
  /** What it is, in a line below. */
  text?: ReactNode;
  /** Badges next to the title. */
  badges?: ReactNode;
  /** Buttons at the right, the main one last. */
  actions?: ReactNode;
};

/** The head of a page. */
export function PageHeader({ title, documentTitle, crumbs, text, badges, actions }: PageHeaderProps) {
  const named = documentTitle ?? (typeof title === "string" ? title : undefined);
  useEffect(() => {
    document.title = named ? `${named} · Orth` : "Orth";
  }, [named]);
  return (
    <header className="mb-4 flex flex-wrap items-start gap-x-4 gap-y-2">
      <div className="min-w-0 flex-1 basis-72">
        {crumbs && crumbs.length > 0 && (
          <nav aria-label="breadcrumb" className="mb-1 flex flex-wrap items-center gap-1 text-faint text-xs">
            {crumbs.map((crumb, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the index identifies a crumb.
              <Fragment key={index}>
                {index > 0 && <ChevronRight aria-hidden className="size-3" />}
                {crumb}
              </Fragment>
            ))}
          </nav>
        )}
        <div className="flex min-h-8 flex-wrap items-center gap-2">
          <h1 className="min-w-0 break-words text-lg">{title}</h1>
          {badges}
        </div>
        {text && <p className="max-w-prose text-pretty text-soft">{text}</p>}
      </div>
      {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
    </header>
  );
}
