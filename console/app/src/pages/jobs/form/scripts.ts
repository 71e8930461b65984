import type { CodeLanguage } from "@/ui/CodeEditor";
import groovy from "./samples/groovy.groovy?raw";
import javascript from "./samples/javascript.js?raw";
import nodejs from "./samples/nodejs.js?raw";
import php from "./samples/php.php?raw";
import powershell from "./samples/powershell.ps1?raw";
import python from "./samples/python.py?raw";
import shell from "./samples/shell.sh?raw";
import type { HandlerKind } from "./values";

/** The kinds of scripts. */
export const scriptKinds = [
  "shell",
  "python",
  "nodejs",
  "powershell",
  "php",
  "groovy",
  "javascript",
  "python2",
] as const satisfies readonly HandlerKind[];

export type ScriptKind = (typeof scriptKinds)[number];

/** What the languages call themselves. */
export const scriptNames: Record<HandlerKind, string> = {
  named: "",
  shell: "Shell",
  python: "Python 3",
  python2: "Python 2",
  nodejs: "Node.js",
  javascript: "JavaScript",
  php: "PHP",
  powershell: "PowerShell",
  groovy: "Groovy",
};

/**
 * The script that a new job of a kind starts with: it prints the parameter, the planned time and the shard. A test of
 * package executor runs each of them.
 */
export const samples: Record<ScriptKind, string> = {
  shell,
  python,
  python2: python,
  nodejs,
  powershell,
  php,
  groovy,
  javascript,
};

/** The language of the editor for a kind of script. */
export function editorLanguage(kind: HandlerKind | undefined): CodeLanguage {
  switch (kind) {
    case undefined:
    case "named":
      return "text";
    case "python2":
      return "python";
    case "nodejs":
      return "node";
    default:
      return kind;
  }
}
