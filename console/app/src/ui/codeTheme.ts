import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword], color: "var(--odd)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--good)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--warn)" },
  { tag: tags.comment, color: "var(--faint)", fontStyle: "italic" },
  {
    tag: [tags.function(tags.variableName), tags.definition(tags.variableName), tags.propertyName],
    color: "var(--busy)",
  },
  { tag: [tags.typeName, tags.className, tags.tagName], color: "var(--accent)" },
  { tag: [tags.invalid], color: "var(--bad)" },
]);

const look = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--raised)", fontSize: "12.5px", height: "100%" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-1px" },
  ".cm-scroller": { fontFamily: "var(--font-mono)", lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--ink)", padding: "8px 0" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--sunken)", color: "var(--faint)", border: "none" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--hover) 60%, transparent)" },
  ".cm-activeLineGutter": { backgroundColor: "var(--hover)", color: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, ::selection": {
    backgroundColor: "color-mix(in srgb, var(--accent) 26%, transparent) !important",
  },
  ".cm-matchingBracket": { backgroundColor: "var(--accent-tint) !important", outline: "1px solid var(--accent)" },
  ".cm-panels": { backgroundColor: "var(--side)", color: "var(--ink)", borderColor: "var(--line) !important" },
  ".cm-panels input, .cm-panels button": {
    background: "var(--raised)",
    color: "var(--ink)",
    border: "1px solid var(--line-strong)",
    borderRadius: "4px",
    padding: "1px 6px",
  },
  ".cm-searchMatch": { backgroundColor: "var(--warn-tint)", outline: "1px solid var(--warn)" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", border: "1px solid var(--line-strong)" },
  ".cm-changedLine": { backgroundColor: "var(--good-tint) !important" },
  ".cm-deletedChunk": { backgroundColor: "var(--bad-tint) !important" },
  ".cm-changedText": { background: "color-mix(in srgb, var(--good) 24%, transparent) !important" },
  ".cm-deletedText": { background: "color-mix(in srgb, var(--bad) 24%, transparent) !important" },
  ".cm-collapsedLines": { color: "var(--soft)", background: "var(--sunken)" },
});

/** How code looks, in both themes: the colours are those of the page. */
export const codeTheme: Extension = [look, syntaxHighlighting(colours)];
