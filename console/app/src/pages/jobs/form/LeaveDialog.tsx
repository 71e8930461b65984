import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { formWords } from "./words";

/** Asks before changes are lost. */
export function LeaveDialog({ onStay, onLeave }: { onStay: () => void; onLeave: () => void }) {
  const t = useWords(formWords);
  const shared = useWords(sharedWords);
  return (
    <Dialog
      open
      size="small"
      onClose={onStay}
      title={t("leaveTitle")}
      text={t("leaveText")}
      footer={
        <>
          <Button onClick={onStay}>{shared("cancel")}</Button>
          <Button look="danger" onClick={onLeave}>
            {t("leave")}
          </Button>
        </>
      }
    />
  );
}
