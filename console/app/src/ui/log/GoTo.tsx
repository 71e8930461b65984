import { useState } from "react";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { Button } from "../Button";
import { Dialog } from "../Dialog";
import { Field } from "../Field";
import { Input } from "../Input";
import { logWords } from "./words";

/** Asks for a line, by its number or by when it was written. */
export function GoTo({
  open,
  onClose,
  onLine,
  onTime,
}: {
  open: boolean;
  onClose: () => void;
  onLine: (line: number) => void;
  onTime: (instant: string) => Promise<void>;
}) {
  const t = useWords(logWords);
  const shared = useWords(sharedWords);
  const [text, setText] = useState("");
  const [wrong, setWrong] = useState(false);
  const close = () => {
    setText("");
    setWrong(false);
    onClose();
  };
  const go = async () => {
    const trimmed = text.trim();
    if (/^L?\d+$/.test(trimmed)) {
      onLine(Math.max(1, Number(trimmed.replace("L", ""))));
      return close();
    }
    const at = new Date(trimmed.replace(/^(\d{4}-\d{2}-\d{2}) /, "$1T"));
    if (Number.isNaN(at.getTime())) return setWrong(true);
    await onTime(at.toISOString());
    close();
  };
  return (
    <Dialog
      open={open}
      onClose={close}
      title={t("goTo")}
      size="small"
      footer={
        <>
          <Button onClick={close}>{shared("cancel")}</Button>
          <Button look="main" onClick={() => void go()}>
            {t("go")}
          </Button>
        </>
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void go();
        }}
      >
        <Field label={t("goTo")} help={t("goToHelp")} error={wrong ? t("goToWrong") : undefined}>
          <Input mono value={text} onChange={(event) => setText(event.target.value)} />
        </Field>
      </form>
    </Dialog>
  );
}
