import type { CodeLanguage } from "@/ui/CodeEditor";
import type { HandlerKind } from "./values";

/** The kinds of scripts. */
export const scriptKinds = [
  "shell",
  "python",
  "nodejs",
  "javascript",
  "php",
  "powershell",
  "groovy",
  "python2",
] as const satisfies readonly HandlerKind[];

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

/** What a new script says at first: how it gets at its parameter and its part of a broadcast. */
export function seedOf(kind: HandlerKind): string {
  switch (kind) {
    case "shell":
      return '#!/bin/sh\nset -eu\necho "param: $1, shard $2 of $3"\n';
    case "python":
    case "python2":
      return 'import sys\n\nprint("param: %s, shard %s of %s" % tuple(sys.argv[1:4]))\n';
    case "nodejs":
      return 'const [param, shard, shards] = process.argv.slice(2);\nconsole.log("param:", param, "shard", shard, "of", shards);\n';
    case "javascript":
      return 'console.log("hello");\n';
    case "php":
      return '<?php\n[, $param, $shard, $shards] = $argv;\necho "param: $param, shard $shard of $shards\\n";\n';
    case "powershell":
      return 'param($Param, $Shard, $Shards)\nWrite-Output "param: $Param, shard $Shard of $Shards"\n';
    default:
      return "";
  }
}
