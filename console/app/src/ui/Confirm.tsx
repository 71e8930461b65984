import { type ReactNode, useState } from "react";
import { type Problem, toProblem } from "@/api/problem";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { Button } from "./Button";
import { Dialog } from "./Dialog";
import { ErrorState } from "./ErrorState";
import { Field } from "./Field";
import { Input } from "./Input";

export type ConfirmProps = {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  /** What will happen, and to what. */
  text?: ReactNode;
  /** Label of the button: the action, never "OK". */
  action: ReactNode;
  danger?: boolean;
  /** The deed is itself to cancel something: the way out is called otherwise. */
  cancels?: boolean;
  /** Why there is nothing to be done any more, when that became so while it asked: it stands in the place of the deed. */
  moot?: ReactNode;
  /** A word that has to be typed before: for what cannot be undone. */
  typed?: string;
  /** Does it. While it works the dialog stays; what it throws is shown in it. */
  onConfirm: () => Promise<unknown> | unknown;
  /** What it will touch, as a list. */
  children?: ReactNode;
};

/** Asks for confirmation before a destructive action. */
export function Confirm(props: ConfirmProps) {
  const { open, onClose, title, text, action, danger, cancels, moot, typed, onConfirm, children } = props;
  const t = useWords(sharedWords);
  const [word, setWord] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const close = () => {
    setWord("");
    setProblem(null);
    onClose();
  };
  const confirm = async () => {
    setBusy(true);
    setProblem(null);
    try {
      await onConfirm();
      close();
    } catch (error) {
      setProblem(toProblem(error));
    } finally {
      setBusy(false);
    }
  };
  const ready = !typed || word.trim() === typed;
  if (moot && !busy) {
    return (
      <Dialog
        open={open}
        onClose={close}
        title={title}
        size="small"
        footer={<Button onClick={close}>{t("close")}</Button>}
      >
        <p role="status">{moot}</p>
      </Dialog>
    );
  }
  return (
    <Dialog
      open={open}
      onClose={close}
      title={title}
      text={text}
      size="small"
      footer={
        <>
          <Button onClick={close}>{t(cancels ? "back" : "cancel")}</Button>
          <Button look={danger ? "danger" : "main"} busy={busy} disabled={!ready} onClick={confirm}>
            {action}
          </Button>
        </>
      }
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (ready && !busy) void confirm();
        }}
      >
        {children}
        {typed && (
          <Field label={t("confirmType", { word: typed })}>
            <Input mono value={word} onChange={(event) => setWord(event.target.value)} />
          </Field>
        )}
        {problem && <ErrorState problem={problem} compact />}
      </form>
    </Dialog>
  );
}
