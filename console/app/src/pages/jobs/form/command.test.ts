import { describe, expect, it } from "vitest";
import { argsOf, type Command, commandOf, emptyCommand, paramOfCommand, splitLine } from "./command";

describe("splitLine", () => {
  // The vectors of the executor, handler/command.
  it.each([
    ["ls -l  /tmp", ["ls", "-l", "/tmp"]],
    [String.raw`a 'b c' "d \"e\" \\ \n"`, ["a", "b c", String.raw`d "e" \ \n`]],
    [`a '' ""`, ["a", "", ""]],
    [String.raw`a\ b c\'d`, ["a b", "c'd"]],
    ["a | b > $HOME; *", ["a", "|", "b", ">", "$HOME;", "*"]],
    [`x'y'"z"`, ["xyz"]],
    ["  ", []],
    ["a 'b", null],
    [`a "b`, null],
    ["a \\", null],
  ])("%s", (line, args) => expect(splitLine(line)).toEqual(args));
});

describe("a command in the form", () => {
  it.each([
    ['["ls","-l","a b"]', { program: "ls", args: "-l\na b" }],
    ['["true"]', { program: "true" }],
    ['["a","","b"]', { program: "a", args: "\nb" }],
    [
      '{\n  "program": "rsync",\n  "args": [\n    "-a"\n  ],\n  "dir": "/srv"\n}',
      { program: "rsync", args: "-a", dir: "/srv" },
    ],
    ['{\n  "program": "a",\n  "env": {\n    "B": "1"\n  }\n}', { program: "a", env: [{ key: "B", value: "1" }] }],
    ["", {}],
  ])("comes back as it was: %s", (param, command) => {
    expect(commandOf(param)).toEqual({ ...emptyCommand, ...command });
    expect(paramOfCommand(commandOf(param) as Command)).toBe(param);
  });

  it("reads a line of words", () =>
    expect(commandOf("rsync -a '/a b' /c")).toEqual({ ...emptyCommand, program: "rsync", args: "-a\n/a b\n/c" }));

  it.each([
    ["a 'b"],
    ["''"],
    ['["a"'],
    ["[1]"],
    ['["a", "two\\nlines"]'],
    ['["a", ""]'],
    ['{"program":"a","shell":true}'],
    ['{"program":"a","args":"b"}'],
    ['{"program":"a","env":{"A":1}}'],
    ['{"program":"a","env":["A"]}'],
    ['{"program":"a","dir":7}'],
  ])("is left to the text: %s", (param) => expect(commandOf(param)).toBeNull());

  it("leaves out what has no name, and blanks around", () =>
    expect(paramOfCommand({ program: " a ", args: "b\n\n", dir: " ", env: [{ key: " ", value: "x" }] })).toBe(
      '["a","b"]',
    ));
});

describe("argsOf", () => {
  it.each([
    ["", []],
    ["\n", []],
    ["a\n\nb\n", ["a", "", "b"]],
  ])("%j", (lines, args) => expect(argsOf(lines)).toEqual(args));
});
