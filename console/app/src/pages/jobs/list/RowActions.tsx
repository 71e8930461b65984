import { useNavigate } from "@tanstack/react-router";
import {
  Boxes,
  CalendarClock,
  CircleHelp,
  CirclePause,
  CirclePlay,
  CodeXml,
  Copy,
  EllipsisVertical,
  History,
  ListVideo,
  Pencil,
  Play,
  Shapes,
  Trash2,
} from "lucide-react";
import { get } from "@/api/client";
import type { Job } from "@/api/types";
import { useSession } from "@/session/session";
import { inSpace, useNamespace } from "@/shell/namespace";
import { IconButton } from "@/ui/IconButton";
import { Menu, MenuItem, MenuLine } from "@/ui/Menu";
import { useToast } from "@/ui/Toast";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { type JobAction, useStartStop } from "../actions";
import { jobsWords } from "../words";

/** What can be done with a job: running it is at hand, all else in a menu. */
export function RowActions({ job, onDeed }: { job: Job; onDeed: (deed: JobAction) => void }) {
  const t = useWords(jobsWords);
  const { whyNot } = useSession();
  return (
    <span className="inline-flex">
      <IconButton
        size="small"
        icon={Play}
        label={`${t("run")} ${job.key}`}
        reason={whyNot("operate", job.namespace, job.group)}
        onClick={() => onDeed("run")}
      />
      <Menu trigger={<IconButton size="small" icon={EllipsisVertical} label={t("actionsOf", { key: job.key })} />}>
        <JobMenuItems job={job} onDeed={onDeed} withRun />
      </Menu>
    </span>
  );
}

/** Leads to the page of a group. It may lie in another namespace than its jobs; none has its key twice. */
function useToGroup() {
  const navigate = useNavigate();
  const toast = useToast();
  return async (key: string) => {
    try {
      const { namespace } = await get("/groups/{group}", { path: { group: key } });
      await navigate({ to: "/groups/$ns/$key", params: { ns: namespace, key } } as never);
    } catch (error) {
      toast.failed(error);
    }
  };
}

/** The lines of a job's menu. */
export function JobMenuItems({
  job,
  onDeed,
  withRun,
}: {
  job: Job;
  onDeed: (deed: JobAction) => void;
  withRun?: boolean;
}) {
  const t = useWords(jobsWords);
  const shared = useWords(sharedWords);
  const navigate = useNavigate();
  const startStop = useStartStop();
  const toGroup = useToGroup();
  const { whyNot } = useSession();
  const no = (right: "operate" | "edit") => whyNot(right, job.namespace, job.group);
  const { namespace: shown } = useNamespace();
  const search = inSpace(shown, job.namespace);
  const go = (to: string) => void navigate({ to, params: { id: job.key }, search } as never);
  const manual = job.schedule.kind === "manual";
  return (
    <>
      {withRun && (
        <MenuItem icon={Play} reason={no("operate")} onSelect={() => onDeed("run")}>
          {t("runNow")}
        </MenuItem>
      )}
      <MenuItem
        icon={job.enabled ? CirclePause : CirclePlay}
        reason={no("operate") ?? (manual && !job.enabled ? t("manualStart") : undefined)}
        onSelect={() => void startStop(job)}
      >
        {t(job.enabled ? "stop" : "start")}
      </MenuItem>
      <MenuItem icon={History} reason={no("operate")} onSelect={() => onDeed("backfill")}>
        {t("backfill")}
      </MenuItem>
      <MenuItem icon={CircleHelp} onSelect={() => onDeed("explain")}>
        {t("explain")}
      </MenuItem>
      <MenuLine />
      <MenuItem
        icon={ListVideo}
        onSelect={() => void navigate({ to: "/runs", search: { ns: job.namespace, job: job.key } } as never)}
      >
        {t("viewRuns")}
      </MenuItem>
      {!manual && (
        <MenuItem
          icon={CalendarClock}
          onSelect={() =>
            void navigate({
              to: "/jobs/$id",
              params: { id: job.key },
              search: { ...search, tab: "firings" },
            } as never)
          }
        >
          {t("viewFirings")}
        </MenuItem>
      )}
      <MenuItem icon={Boxes} onSelect={() => void toGroup(job.group)}>
        {t("viewGroup")}
      </MenuItem>
      {job.handler?.kind !== "named" && (
        <MenuItem icon={CodeXml} onSelect={() => go("/jobs/$id/code")}>
          {t("viewCode")}
        </MenuItem>
      )}
      <MenuItem icon={Pencil} reason={no("edit")} onSelect={() => go("/jobs/$id/edit")}>
        {shared("edit")}
      </MenuItem>
      <MenuItem icon={Copy} reason={no("edit")} onSelect={() => onDeed("copy")}>
        {t("copyJob")}
      </MenuItem>
      {!job.template && (
        <MenuItem icon={Shapes} reason={no("edit")} onSelect={() => onDeed("instance")}>
          {t("makeInstance")}
        </MenuItem>
      )}
      <MenuLine />
      <MenuItem icon={Trash2} danger reason={no("edit")} onSelect={() => onDeed("delete")}>
        {t("delete")}
      </MenuItem>
    </>
  );
}
