import { Plus, Trash2 } from "lucide-react";
import { Button } from "@/ui/Button";
import { Field } from "@/ui/Field";
import { IconButton } from "@/ui/IconButton";
import { Input } from "@/ui/Input";
import { Select } from "@/ui/Select";
import { useWords } from "@/words";
import { InstantInput } from "../dialogs/InstantInput";
import { Bound } from "./Bound";
import type { MemberValues } from "./values";
import { whenWords } from "./whenWords";

const kinds = ["cron", "every", "daily", "once"] as const;
const fresh: MemberValues = { kind: "cron", cron: "0 0 9 * * ?", every: "", daily: "", at: "", rest: {} };

/** The schedules of several. */
export function Members() {
  const t = useWords(whenWords);
  return (
    <Bound name="schedule.of" label={t("several")} help={t("severalHelp")} group required>
      {(members, set) => (
        <div className="flex flex-col gap-2">
          {members.map((member, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the index identifies a schedule.
            <div key={at} className="grid grid-cols-[8rem_1fr_auto] items-start gap-2">
              <Field label={t("member", { n: at + 1 })}>
                <Select
                  value={member.kind}
                  onChange={(kind) => set(members.map((one, index) => (index === at ? { ...one, kind } : one)))}
                  options={kinds.map((value) => ({ value, label: t(value) }))}
                />
              </Field>
              <MemberInput
                name={`schedule.of.${at}`}
                member={member}
                onChange={(next) => set(members.map((one, index) => (index === at ? next : one)))}
              />
              <IconButton
                icon={Trash2}
                className="mt-6"
                label={t("removeMember", { n: at + 1 })}
                onClick={() => set(members.filter((_, index) => index !== at))}
              />
            </div>
          ))}
          <Button
            size="small"
            icon={Plus}
            className="self-start"
            disabled={members.length >= 16}
            onClick={() => set([...members, fresh])}
          >
            {t("addMember")}
          </Button>
        </div>
      )}
    </Bound>
  );
}

function MemberInput({
  name,
  member,
  onChange,
}: {
  name: string;
  member: MemberValues;
  onChange: (member: MemberValues) => void;
}) {
  const t = useWords(whenWords);
  if (member.kind === "once") {
    return (
      <Field name={name} label={t("instant")} required>
        <InstantInput value={member.at} onChange={(at) => onChange({ ...member, at })} />
      </Field>
    );
  }
  const field = member.kind === "every" ? "every" : member.kind === "daily" ? "daily" : "cron";
  const label = { every: t("period"), daily: t("window"), cron: t("expression") }[field];
  const placeholder = { every: "5m", daily: "09:00-18:00 MON-FRI every 5m", cron: "0 0 9 * * ?" }[field];
  return (
    <Field name={name} label={label} required>
      <Input
        mono
        placeholder={placeholder}
        value={member[field]}
        onChange={(event) => onChange({ ...member, [field]: event.target.value })}
      />
    </Field>
  );
}
