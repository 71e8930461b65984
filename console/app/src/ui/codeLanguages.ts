import { javascript } from "@codemirror/lang-javascript";
import { json } from "@codemirror/lang-json";
import { php } from "@codemirror/lang-php";
import { python } from "@codemirror/lang-python";
import { yaml } from "@codemirror/lang-yaml";
import { StreamLanguage } from "@codemirror/language";
import { groovy } from "@codemirror/legacy-modes/mode/groovy";
import { powerShell } from "@codemirror/legacy-modes/mode/powershell";
import { shell } from "@codemirror/legacy-modes/mode/shell";
import type { Extension } from "@codemirror/state";

/** The languages that the editor colours. */
export type CodeLanguage =
  | "text"
  | "json"
  | "yaml"
  | "shell"
  | "python"
  | "php"
  | "node"
  | "javascript"
  | "powershell"
  | "groovy";

/** What colours a language. */
export function languageOf(language: CodeLanguage): Extension {
  switch (language) {
    case "json":
      return json();
    case "yaml":
      return yaml();
    case "python":
      return python();
    case "php":
      return php();
    case "node":
    case "javascript":
      return javascript();
    case "shell":
      return StreamLanguage.define(shell);
    case "powershell":
      return StreamLanguage.define(powerShell);
    case "groovy":
      return StreamLanguage.define(groovy);
    default:
      return [];
  }
}
