import { CircleAlert, CircleCheck, Info, X } from "lucide-react";
import { Toast as T } from "radix-ui";
import { createContext, type ReactNode, useCallback, useContext, useMemo, useRef, useState } from "react";
import { toProblem } from "@/api/problem";
import { useWords } from "@/words";
import { problemWords, sharedWords } from "@/words/shared";
import { cn } from "./cn";

type Tone = "good" | "bad" | "info";
type Note = { id: number; tone: Tone; title: ReactNode; text?: ReactNode; action?: ToastAction };

/** Something to do about a message, such as to open what was made. */
export type ToastAction = { label: string; onAction: () => void };

export type Toasts = {
  /** Shows a success message. */
  done: (title: ReactNode, text?: ReactNode, action?: ToastAction) => void;
  /** Shows an error: a Problem or any thrown value. */
  failed: (error: unknown, title?: ReactNode) => void;
  info: (title: ReactNode, text?: ReactNode) => void;
};

const Context = createContext<Toasts | null>(null);

/** Shows short messages at the edge of the page. Screen readers read them; they disappear after a while. */
export function useToast(): Toasts {
  const toasts = useContext(Context);
  if (!toasts) throw new Error("useToast is used outside of ToastProvider");
  return toasts;
}

const most = 4;
const icons = { good: CircleCheck, bad: CircleAlert, info: Info };
const colours = { good: "text-good", bad: "text-bad", info: "text-busy" };

/** The provider of toasts, once around the whole page. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [notes, setNotes] = useState<Note[]>([]);
  const ids = useRef(0);
  const t = useWords(problemWords);
  const add = useCallback((note: Omit<Note, "id">) => {
    ids.current += 1;
    const id = ids.current;
    setNotes((all) => [...all, { ...note, id }].slice(-most));
  }, []);
  const drop = (id: number) => setNotes((all) => all.filter((note) => note.id !== id));
  const toasts = useMemo<Toasts>(
    () => ({
      done: (title, text, action) => add({ tone: "good", title, text, action }),
      info: (title, text) => add({ tone: "info", title, text }),
      failed: (error, title) => {
        const problem = toProblem(error);
        const named = title ?? t(problem.code as Parameters<typeof t>[0]);
        const detail = [problem.field, problem.detail].filter(Boolean).join(": ");
        add({ tone: "bad", title: named, text: [detail, problem.hint].filter(Boolean).join(". ") });
      },
    }),
    [add, t],
  );
  return (
    <Context.Provider value={toasts}>
      <T.Provider swipeDirection="right" duration={6000}>
        {children}
        {notes.map((note) => (
          <ToastCard key={note.id} note={note} onGone={() => drop(note.id)} />
        ))}
        <T.Viewport className="fixed right-3 bottom-3 z-50 flex w-88 max-w-[calc(100vw-1.5rem)] flex-col gap-2 outline-none" />
      </T.Provider>
    </Context.Provider>
  );
}

function ToastCard({ note, onGone }: { note: Note; onGone: () => void }) {
  const t = useWords(sharedWords);
  const Icon = icons[note.tone];
  return (
    <T.Root
      duration={note.tone === "bad" ? 12000 : undefined}
      onOpenChange={(open) => !open && onGone()}
      className="anim-rise flex items-start gap-2.5 rounded-lg border border-line-strong bg-raised p-3 shadow-lg data-[swipe=move]:translate-x-(--radix-toast-swipe-move-x)"
    >
      <Icon aria-hidden className={cn("mt-0.5 size-4 shrink-0", colours[note.tone])} />
      <div className="min-w-0 flex-1">
        <T.Title className="font-medium text-sm">{note.title}</T.Title>
        {note.text && <T.Description className="mt-0.5 break-words text-sm text-soft">{note.text}</T.Description>}
        {note.action && (
          <T.Action altText={note.action.label} asChild>
            <button
              type="button"
              className="mt-1 font-medium text-accent text-sm hover:underline"
              onClick={note.action.onAction}
            >
              {note.action.label}
            </button>
          </T.Action>
        )}
      </div>
      <T.Close aria-label={t("close")} className="grid size-5 place-items-center rounded-sm text-faint hover:text-ink">
        <X aria-hidden className="size-3.5" />
      </T.Close>
    </T.Root>
  );
}
