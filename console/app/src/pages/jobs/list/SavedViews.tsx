import { Bookmark, Trash2 } from "lucide-react";
import { useState } from "react";
import { useSession } from "@/session/session";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Field } from "@/ui/Field";
import { IconButton } from "@/ui/IconButton";
import { Input } from "@/ui/Input";
import { Menu, MenuItem, MenuLabel, MenuLine } from "@/ui/Menu";
import { useWords } from "@/words";
import { sharedWords } from "@/words/shared";
import { jobsWords } from "../words";
import { type JobSearch, keepViews, readViews, sameSearch, withView } from "./search";

/** The views of the list that the user has named. */
export function SavedViews({ search, onShow }: { search: JobSearch; onShow: (search: JobSearch) => void }) {
  const t = useWords(jobsWords);
  const { me } = useSession();
  const [views, setViews] = useState(() => readViews(me.name));
  const [naming, setNaming] = useState(false);
  const current = views.find((view) => sameSearch(view.search, search));
  const keep = (next: typeof views) => {
    keepViews(me.name, next);
    setViews(next);
  };
  return (
    <>
      <Menu
        trigger={
          <Button icon={Bookmark}>
            <span className="max-w-32 truncate">{current?.name ?? t("views")}</span>
          </Button>
        }
      >
        <MenuItem onSelect={() => onShow({})}>{t("viewAll")}</MenuItem>
        {views.length > 0 && <MenuLine />}
        {views.map((view) => (
          <MenuItem key={view.name} onSelect={() => onShow(view.search)}>
            {view.name}
          </MenuItem>
        ))}
        {views.length === 0 && <MenuLabel>{t("noViews")}</MenuLabel>}
        <MenuLine />
        <MenuItem icon={Bookmark} onSelect={() => setNaming(true)}>
          {t("saveView")}
        </MenuItem>
        {current && (
          <MenuItem icon={Trash2} danger onSelect={() => keep(views.filter((view) => view.name !== current.name))}>
            {t("deleteView", { name: current.name })}
          </MenuItem>
        )}
      </Menu>
      {naming && (
        <NameDialog
          views={views}
          onClose={() => setNaming(false)}
          onName={(name) => keep(withView(views, { name, search }))}
          onRemove={(name) => keep(views.filter((view) => view.name !== name))}
        />
      )}
    </>
  );
}

function NameDialog({
  views,
  onClose,
  onName,
  onRemove,
}: {
  views: readonly { name: string }[];
  onClose: () => void;
  onName: (name: string) => void;
  onRemove: (name: string) => void;
}) {
  const t = useWords(jobsWords);
  const shared = useWords(sharedWords);
  const [name, setName] = useState("");
  const save = () => {
    if (name.trim() === "") return;
    onName(name.trim());
    onClose();
  };
  return (
    <Dialog
      open
      size="small"
      onClose={onClose}
      title={t("saveView").replace(/\s*…$/, "")}
      text={t("viewHelp")}
      footer={
        <>
          <Button onClick={onClose}>{shared("cancel")}</Button>
          <Button look="main" disabled={name.trim() === ""} onClick={save}>
            {shared("save")}
          </Button>
        </>
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <Field label={t("viewName")}>
          <Input value={name} maxLength={60} onChange={(event) => setName(event.target.value)} />
        </Field>
      </form>
      {views.length > 0 && (
        <ul className="mt-3 rounded-md border">
          {views.map((view) => (
            <li key={view.name} className="flex items-center justify-between border-b px-3 py-1 last:border-b-0">
              {view.name}
              <IconButton
                size="small"
                icon={Trash2}
                label={t("deleteView", { name: view.name })}
                onClick={() => onRemove(view.name)}
              />
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}
