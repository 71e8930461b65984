import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { post } from "@/api/client";
import { useSession } from "@/session/session";
import { Confirm } from "@/ui/Confirm";
import { Field } from "@/ui/Field";
import { Input } from "@/ui/Input";
import { useToast } from "@/ui/Toast";
import { useWords } from "@/words";
import type { Alarm } from "./cells";
import { alarmWords } from "./words";

/** Whether note can be taken of an alarm. */
export const notable = (alarm: Alarm) => alarm.state === "firing" && !alarm.noted_at;

/** Takes note of alarms: they escalate no more. */
export function NoteDialog({ alarms, onClose }: { alarms: readonly Alarm[]; onClose: () => void }) {
  const t = useWords(alarmWords);
  const { me } = useSession();
  const toast = useToast();
  const queries = useQueryClient();
  const [by, setBy] = useState(me.name);
  const count = alarms.length;
  return (
    <Confirm
      open
      onClose={onClose}
      title={t("noteN", { count })}
      text={t("noteText")}
      action={t("note")}
      onConfirm={async () => {
        try {
          for (const { id } of alarms)
            await post("/alarms/{id}/note", { path: { id }, body: by.trim() ? { by: by.trim() } : {} });
          toast.done(t("didNote", { count }));
        } finally {
          void queries.invalidateQueries({ queryKey: ["/alarms"] });
          void queries.invalidateQueries({ queryKey: ["/alarms/{id}"] });
        }
      }}
    >
      <ul className="max-h-40 overflow-y-auto rounded-md border text-sm">
        {alarms.map((alarm) => (
          <li key={alarm.id} className="flex gap-2 border-b px-3 py-1 last:border-b-0">
            <span className="font-mono text-xs leading-5">{alarm.id}</span>
            <span className="min-w-0 flex-1 truncate">{alarm.job_key ?? alarm.group}</span>
            <span className="text-soft">{alarm.rule}</span>
          </li>
        ))}
      </ul>
      <Field label={t("noteWho")}>
        <Input value={by} maxLength={100} onChange={(event) => setBy(event.target.value)} />
      </Field>
    </Confirm>
  );
}
