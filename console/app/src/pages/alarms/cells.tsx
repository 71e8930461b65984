import {
  BellOff,
  BellRing,
  CircleAlert,
  CircleCheck,
  Clock,
  Eye,
  Info,
  type Mail,
  Trash2,
  TriangleAlert,
} from "lucide-react";
import type { Schema } from "@/api/types";
import { Badge, type Tone } from "@/ui/Badge";
import { Link } from "@/ui/Link";
import { Time } from "@/ui/Time";
import { Tooltip } from "@/ui/Tooltip";
import { useWords } from "@/words";
import { alarmWords, kindWords } from "./words";

export type Alarm = Schema<"Alarm">;
export type Message = Schema<"Notification">;

const severities = {
  info: { tone: "busy", icon: Info },
  warning: { tone: "warn", icon: TriangleAlert },
  critical: { tone: "bad", icon: CircleAlert },
} as const;

/** How bad it is. */
export function Severity({ of }: { of: string }) {
  const t = useWords(alarmWords);
  const known = of === "info" || of === "critical" ? of : "warning";
  const { tone, icon } = severities[known];
  return (
    <Badge tone={tone} icon={icon}>
      {t(known)}
    </Badge>
  );
}

/** Whether an alarm goes on. */
export function AlarmState({ of }: { of: "firing" | "resolved" }) {
  const t = useWords(alarmWords);
  return (
    <Badge tone={of === "firing" ? "bad" : "good"} icon={of === "firing" ? BellRing : CircleCheck}>
      {t(of)}
    </Badge>
  );
}

const deliveries: Record<Message["status"], { tone: Tone; icon: typeof Mail }> = {
  pending: { tone: "busy", icon: Clock },
  sent: { tone: "good", icon: CircleCheck },
  failed: { tone: "bad", icon: CircleAlert },
  silenced: { tone: "idle", icon: BellOff },
  dropped: { tone: "idle", icon: Trash2 },
};

/** What became of a message. */
export function Delivery({ of }: { of: Message["status"] }) {
  const t = useWords(alarmWords);
  const { tone, icon } = deliveries[of];
  return (
    <Badge tone={tone} icon={icon}>
      {t(of)}
    </Badge>
  );
}

/** The word of a kind of alarms; one that is not known stays as it is. */
export function KindName({ of }: { of: string }) {
  const t = useWords(kindWords);
  return <>{of in kindWords.entries ? t(of as Parameters<typeof t>[0]) : of}</>;
}

const nsOf = (namespace: string | undefined) => (namespace && namespace !== "default" ? namespace : undefined);

/** What an alarm is about: a job, or a group of executors. */
export function About({ alarm }: { alarm: Pick<Alarm, "job_key" | "group" | "namespace"> }) {
  const search = { ns: nsOf(alarm.namespace) } as never;
  if (alarm.job_key) {
    return (
      <Link to="/jobs/$id" params={{ id: alarm.job_key } as never} search={search} className="text-ink">
        {alarm.job_key}
      </Link>
    );
  }
  return <span>{alarm.group}</span>;
}

/** The link to the rule of an alarm or a message, or the words for a mail that a job asks for itself. */
export function RuleLink({ of }: { of: { rule?: string; namespace?: string } }) {
  const t = useWords(alarmWords);
  if (!of.rule) return <span className="text-soft">{t("jobMail")}</span>;
  return (
    <Link to="/alarms/rules" search={{ edit: of.rule, ns: nsOf(of.namespace) } as never}>
      {of.rule}
    </Link>
  );
}

/** Who took note of an alarm, or what holds its messages back. */
export function Notes({ alarm }: { alarm: Alarm }) {
  const t = useWords(alarmWords);
  return (
    <span className="flex flex-wrap items-center gap-1">
      {alarm.noted_at && (
        <Tooltip text={<Time at={alarm.noted_at} as="absolute" />}>
          <Badge tone="accent" icon={Eye}>
            {alarm.noted_by ? t("notedBy", { who: alarm.noted_by }) : t("noted")}
          </Badge>
        </Tooltip>
      )}
      {alarm.silenced_by && (
        <Badge tone="idle" icon={BellOff} title={alarm.silenced_by}>
          {t("silenced")}
        </Badge>
      )}
    </span>
  );
}
