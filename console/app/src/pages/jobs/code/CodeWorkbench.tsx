import { useBlocker } from "@tanstack/react-router";
import { Save } from "lucide-react";
import { useState } from "react";
import { getTagged, patch, type Tagged } from "@/api/client";
import { type Problem, toProblem } from "@/api/problem";
import type { Job } from "@/api/types";
import { useSession } from "@/session/session";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Checkbox } from "@/ui/Checkbox";
import { CodeEditor } from "@/ui/CodeEditor";
import { Dialog } from "@/ui/Dialog";
import { ErrorState } from "@/ui/ErrorState";
import { Input } from "@/ui/Input";
import { useToast } from "@/ui/Toast";
import { useUnsaved } from "@/ui/unsaved";
import { useWords } from "@/words";
import { useJobsChanged } from "../actions";
import { LeaveDialog } from "../form/LeaveDialog";
import { editorLanguage, scriptNames } from "../form/scripts";
import type { HandlerKind } from "../form/values";
import { Trial } from "./Trial";
import { Versions, VersionView } from "./Versions";
import { codeWords } from "./words";

/** Edits the code of a job: its versions at the side, a trial below; changes of other users are never overwritten unseen. */
export function CodeWorkbench({ loaded }: { loaded: Tagged<Job> }) {
  const t = useWords(codeWords);
  const toast = useToast();
  const changed = useJobsChanged();
  const { whyNot } = useSession();
  const [saved, setSaved] = useState(loaded);
  const job = saved.data;
  const kind = job.handler?.kind ?? "shell";
  const original = job.handler?.source ?? "";
  const [text, setText] = useState(original);
  const [note, setNote] = useState("");
  const [comparing, setComparing] = useState(false);
  const [version, setVersion] = useState<number | null>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [theirs, setTheirs] = useState<Tagged<Job> | null>(null);
  const no = whyNot("script", job.namespace, job.group) ?? whyNot("edit", job.namespace, job.group);
  const dirty = text !== original;
  const named = { path: { key: job.key }, query: { namespace: job.namespace } };
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => dirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => dirty,
    withResolver: true,
  });
  useUnsaved(dirty);

  const show = (now: Tagged<Job>) => {
    setSaved(now);
    setText(now.data.handler?.source ?? "");
    setVersion(null);
  };
  const save = async (etag = saved.etag) => {
    if (!dirty || no || busy) return;
    setBusy(true);
    setProblem(null);
    try {
      await patch("/jobs/{key}", {
        ...named,
        query: { namespace: job.namespace, note: note.trim() || undefined },
        ifMatch: etag,
        body: { handler: { kind, source: text } } as never,
      });
      show(await getTagged("/jobs/{key}", named));
      setNote("");
      setTheirs(null);
      toast.done(t("saved"));
      await changed();
    } catch (error) {
      const refused = toProblem(error);
      if (refused.status === 412) setTheirs(await getTagged("/jobs/{key}", named));
      else setProblem(refused);
    } finally {
      setBusy(false);
    }
  };

  return (
    <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_17rem]">
      <div className="flex min-w-0 flex-col gap-3">
        {version !== null ? (
          <VersionView
            job={job}
            number={version}
            onBack={() => setVersion(null)}
            onTake={(source) => {
              setText(source);
              setVersion(null);
            }}
            mayEdit={!no}
            onRestored={() => void getTagged("/jobs/{key}", named).then(show)}
          />
        ) : (
          <>
            <Toolbar
              kind={kind}
              no={no}
              dirty={dirty}
              busy={busy}
              comparing={comparing}
              note={note}
              onCompare={setComparing}
              onNote={setNote}
              onSave={() => void save()}
            />
            {problem && <ErrorState compact problem={problem} />}
            <CodeEditor
              className="h-[52vh] min-h-72"
              label={t("title", { key: job.key })}
              language={editorLanguage(kind)}
              value={text}
              onChange={setText}
              readOnly={Boolean(no)}
              original={comparing && dirty ? original : undefined}
              onSave={() => void save()}
            />
          </>
        )}
        <Trial job={job} code={dirty ? text : undefined} />
      </div>
      <Versions job={job} shown={version} dirty={dirty} onShow={setVersion} />
      {blocker.status === "blocked" && <LeaveDialog onStay={blocker.reset} onLeave={blocker.proceed} />}
      {theirs && (
        <CodeConflict
          mine={text}
          theirs={theirs.data}
          busy={busy}
          onClose={() => setTheirs(null)}
          onMine={() => void save(theirs.etag)}
          onTheirs={() => {
            show(theirs);
            setTheirs(null);
          }}
        />
      )}
    </div>
  );
}

function Toolbar({
  kind,
  no,
  dirty,
  busy,
  comparing,
  note,
  onCompare,
  onNote,
  onSave,
}: {
  kind: HandlerKind;
  no: string | undefined;
  dirty: boolean;
  busy: boolean;
  comparing: boolean;
  note: string;
  onCompare: (on: boolean) => void;
  onNote: (note: string) => void;
  onSave: () => void;
}) {
  const t = useWords(codeWords);
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Badge>{scriptNames[kind]}</Badge>
      {dirty && <Badge tone="warn">{t("unsaved")}</Badge>}
      <Checkbox checked={comparing} disabled={!dirty} onChange={onCompare}>
        {t("showDiff")}
      </Checkbox>
      <span className="flex-1" />
      {no ? (
        <span className="text-faint text-xs">{t("readOnly")}</span>
      ) : (
        <>
          <Input
            className="w-64"
            aria-label={t("note")}
            placeholder={t("notePlaceholder")}
            maxLength={200}
            value={note}
            onChange={(event) => onNote(event.target.value)}
          />
          <Button look="main" icon={Save} busy={busy} disabled={!dirty} onClick={onSave}>
            {t("save")}
          </Button>
        </>
      )}
    </div>
  );
}

function CodeConflict({
  mine,
  theirs,
  busy,
  onClose,
  onMine,
  onTheirs,
}: {
  mine: string;
  theirs: Job;
  busy: boolean;
  onClose: () => void;
  onMine: () => void;
  onTheirs: () => void;
}) {
  const t = useWords(codeWords);
  return (
    <Dialog
      open
      size="large"
      onClose={onClose}
      title={t("conflictTitle")}
      text={t("conflictText")}
      footer={
        <>
          <Button onClick={onTheirs}>{t("takeTheirs")}</Button>
          <Button look="main" busy={busy} onClick={onMine}>
            {t("saveMine")}
          </Button>
        </>
      }
    >
      <CodeEditor
        className="h-[50vh]"
        label={t("conflictTitle")}
        readOnly
        value={mine}
        original={theirs.handler?.source ?? ""}
        language={editorLanguage(theirs.handler?.kind)}
      />
    </Dialog>
  );
}
