import { describe, expect, it } from "vitest";
import { plain, spansOf } from "./ansi";
import { marksIn, pieces } from "./marks";
import { chunkLines, hashOfRange, LogWindow, linesOf, rangeOfHash, stampOf } from "./window";

const esc = "\u001b[";

describe("spansOf", () => {
  it.each([
    ["plain", [{ text: "plain", look: {} }]],
    ["", [{ text: "", look: {} }]],
    [
      `${esc}31mred${esc}0m not`,
      [
        { text: "red", look: { ink: 1 } },
        { text: " not", look: {} },
      ],
    ],
    [`${esc}1;92mok`, [{ text: "ok", look: { bold: true, ink: 10 } }]],
    [`${esc}38;5;196mx`, [{ text: "x", look: { ink: "rgb(255 0 0)" } }]],
    [`${esc}38;5;9mx`, [{ text: "x", look: { ink: 9 } }]],
    [`${esc}38;5;244mx`, [{ text: "x", look: { ink: "rgb(128 128 128)" } }]],
    [`${esc}48;2;1;2;300mx`, [{ text: "x", look: { ground: "rgb(1 2 255)" } }]],
    [`${esc}38;2;1;2;3;1mx`, [{ text: "x", look: { ink: "rgb(1 2 3)", bold: true } }]],
    [`${esc}31m${esc}mx`, [{ text: "x", look: {} }]],
    [`${esc}31;44;7mx`, [{ text: "x", look: { ink: 4, ground: 1 } }]],
  ])("%j", (line, want) => expect(spansOf(line)).toEqual(want));

  it("loses no text", () => {
    const line = `a${esc}3mb${esc}99mc${esc}23md`;
    expect(
      spansOf(line)
        .map((span) => span.text)
        .join(""),
    ).toBe("abcd");
    expect(plain(line)).toBe("abcd");
  });
});

describe("LogWindow", () => {
  const numbers = (from: number, n: number) => Array.from({ length: n }, (_, i) => `line ${from + i}`);

  it("keeps a bounded part and reads the rest again", () => {
    const log = new LogWindow(2_000);
    for (let from = 1; from <= 100_000; from += 1_000) log.put(from, numbers(from, 1_000));
    expect(log.last).toBe(100_000);
    expect(log.held).toBeLessThanOrEqual(2_000);
    expect(log.line(100_000)).toBe("line 100000");
    expect(log.line(1)).toBeUndefined();
    expect(log.missing({ from: 1, to: 40 })).toEqual({ from: 1, to: 40 });
    log.put(1, numbers(1, chunkLines));
    expect(log.line(7)).toBe("line 7");
    expect(log.last).toBe(100_000);
  });

  it("forgets last what is looked at", () => {
    const log = new LogWindow(chunkLines * 2);
    log.put(1, numbers(1, chunkLines));
    log.put(chunkLines + 1, numbers(chunkLines + 1, chunkLines));
    log.touch({ from: 1, to: 2 });
    log.put(chunkLines * 2 + 1, numbers(chunkLines * 2 + 1, 1));
    expect(log.line(1)).toBe("line 1");
    expect(log.line(chunkLines + 1)).toBeUndefined();
  });

  it("finds what is missing within a range", () => {
    const log = new LogWindow();
    log.put(5_000, ["x"]);
    log.put(10, numbers(10, 5));
    expect(log.missing({ from: 8, to: 20 })).toEqual({ from: 8, to: 9 });
    expect(log.missing({ from: 10, to: 14 })).toBeNull();
    expect(log.missing({ from: 12, to: 5_000 }, 100)).toEqual({ from: 15, to: 114 });
    expect(log.missing({ from: 5_000, to: 6_000 })).toBeNull();
  });

  it("keeps notes by line", () => {
    const log = new LogWindow();
    log.put(3, ["x"], "2 lines were lost");
    expect(log.notes.get(3)).toBe("2 lines were lost");
  });
});

it("splits texts into lines", () => {
  expect(linesOf("")).toEqual([]);
  expect(linesOf("a\n\nb\n")).toEqual(["a", "", "b"]);
  expect(linesOf("a")).toEqual(["a"]);
});

it.each([
  ["#L12", { from: 12, to: 12 }],
  ["L40-L12", { from: 12, to: 40 }],
  ["#L1-9", { from: 1, to: 9 }],
  ["#L0", null],
  ["#top", null],
])("reads the hash %s", (hash, want) => {
  expect(rangeOfHash(hash)).toEqual(want);
  if (want) expect(rangeOfHash(hashOfRange(want))).toEqual(want);
});

it.each([
  ["2026-03-08 02:30:00 hello", "2026-03-08 02:30:00", 20],
  ["[2026-03-08T02:30:00.123Z] x", "2026-03-08T02:30:00.123Z", 27],
  ["12:00:01,5 x", "12:00:01,5", 11],
  ["2026 hello", null, 0],
])("finds the stamp of %j", (line, text, length) => {
  const found = stampOf(line);
  expect(found?.text ?? null).toBe(text);
  expect(found?.length ?? 0).toBe(length);
});

describe("marks", () => {
  it("finds texts and expressions", () => {
    expect(marksIn("a.b a.B", { text: "a.b", regexp: false, fold: true })).toEqual([
      [0, 3],
      [4, 7],
    ]);
    expect(marksIn("axb", { text: "a.b", regexp: false, fold: false })).toEqual([]);
    expect(marksIn("axb", { text: "a.b", regexp: true, fold: false })).toEqual([[0, 3]]);
    expect(marksIn("axb", { text: "(", regexp: true, fold: false })).toEqual([]);
    expect(marksIn("axb", { text: "z*", regexp: true, fold: false })).toEqual([]);
    expect(marksIn("axb", null)).toEqual([]);
  });
  it("cuts stretches at matches that go over their ends", () => {
    expect(
      pieces("hello", 10, [
        [8, 12],
        [14, 20],
      ]),
    ).toEqual([
      { text: "he", hit: true },
      { text: "ll", hit: false },
      { text: "o", hit: true },
    ]);
  });
});
