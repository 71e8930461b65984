import { indentWithTab } from "@codemirror/commands";
import { unifiedMergeView } from "@codemirror/merge";
import { Compartment, EditorState } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { basicSetup } from "codemirror";
import { useEffect, useRef } from "react";
import { nonce } from "@/shell/nonce";
import { cn } from "./cn";
import { type CodeLanguage, languageOf } from "./codeLanguages";
import { codeTheme } from "./codeTheme";
import { useFieldProps } from "./Field";

export type { CodeLanguage };

export type CodeEditorProps = {
  value: string;
  onChange?: (value: string) => void;
  language?: CodeLanguage;
  readOnly?: boolean;
  /** Shows what changed since this text, line by line. */
  original?: string;
  wrap?: boolean;
  /** Its name, when no Field gives it one. */
  label?: string;
  /** What Ctrl-S or ⌘S does. */
  onSave?: () => void;
  className?: string;
};

/** The accessible name and description of the editor. */
function attributesOf(label: string | undefined, field: ReturnType<typeof useFieldProps>) {
  const all = { "aria-label": label, ...field };
  const told = Object.entries(all).filter(([, value]) => value !== undefined);
  return EditorView.contentAttributes.of(Object.fromEntries(told.map(([name, value]) => [name, String(value)])));
}

/** The editor itself; it comes with CodeMirror, so import CodeEditor. */
export default function CodeEditorInner(props: CodeEditorProps) {
  const { value, language = "text", readOnly, original, wrap, label, className } = props;
  const field = useFieldProps({});
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const parts = useRef({ language: new Compartment(), reading: new Compartment(), told: new Compartment() });

  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor lives as long as what it compares with.
  useEffect(() => {
    if (!host.current) return;
    const { language: coloured, reading, told } = parts.current;
    const editor = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: [
          nonce ? EditorView.cspNonce.of(nonce) : [],
          basicSetup,
          keymap.of([
            {
              key: "Mod-s",
              preventDefault: true,
              run: () => {
                latest.current.onSave?.();
                return true;
              },
            },
            // Escape, then Tab, leaves the editor.
            indentWithTab,
          ]),
          coloured.of(languageOf(language)),
          reading.of(EditorState.readOnly.of(Boolean(readOnly))),
          codeTheme,
          wrap ? EditorView.lineWrapping : [],
          original === undefined
            ? []
            : unifiedMergeView({ original, mergeControls: false, collapseUnchanged: { margin: 3, minSize: 8 } }),
          told.of(attributesOf(label, field)),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latest.current.onChange?.(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    return () => {
      editor.destroy();
      view.current = null;
    };
  }, [original, wrap]);

  useEffect(() => {
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);

  useEffect(() => {
    view.current?.dispatch({
      effects: [
        parts.current.language.reconfigure(languageOf(language)),
        parts.current.reading.reconfigure(EditorState.readOnly.of(Boolean(readOnly))),
      ],
    });
  }, [language, readOnly]);

  const described = field["aria-describedby"];
  const invalid = field["aria-invalid"];
  // biome-ignore lint/correctness/useExhaustiveDependencies: these are what a field changes.
  useEffect(() => {
    view.current?.dispatch({ effects: parts.current.told.reconfigure(attributesOf(label, field)) });
  }, [label, described, invalid]);

  return (
    <div
      ref={host}
      className={cn(
        "min-h-40 overflow-hidden rounded-md border border-line-strong [&_.cm-editor]:h-full",
        invalid && "border-bad",
        className,
      )}
    />
  );
}
