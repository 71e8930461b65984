import { describe, expect, it } from "vitest";
import { callOf, type HttpCall, isWrongJson, paramOf, withKind } from "./httpcall";

const shown = (param: object | string) => callOf(typeof param === "string" ? param : JSON.stringify(param));
const again = (param: object) => JSON.parse(paramOf(shown(param) as HttpCall) ?? "null");

describe("a request in the form", () => {
  it.each([
    [{ url: "https://example.com/a" }],
    [{ url: "https://example.com/a", method: "PUT", headers: { A: "b", C: "" }, body: "x\n" }],
    [{ url: "https://example.com/a", json: { a: [1, null, "b"] }, expect: [200, "3xx"], expect_body: "ok" }],
    [{ url: "https://example.com/a", form: { a: "1" }, timeout: "10s", expect: 204 }],
    [{ url: "https://example.com/a", timeout: 2.5, retry_on: ["5xx"], secrets: ["KEY"], log_body: false }],
    [{ url: "https://example.com/a", data: "{}", method: "POST" }],
    [{ url: "https://example.com/a", json: null }],
    [{ url: "https://example.com/a", body: "" }],
  ])("comes back as it was: %j", (param) => expect(again(param)).toEqual(param));

  it.each([
    ["{"],
    ["[]"],
    ["hello"],
    ["url: https://example.com\nretries: 3"],
    ['{"url":1}'],
    ['{"headers":{"a":1}}'],
    ['{"headers":["a"]}'],
    ['{"expect":{"a":1}}'],
    ['{"timeout":true}'],
    ['{"body":"a","form":{}}'],
    ['{"body":"a","data":"b"}'],
  ])("is left to the text: %s", (param) => expect(callOf(param)).toBeNull());

  it("has nothing at first", () => {
    expect(paramOf(callOf(" ") as HttpCall)).toBe("");
  });
  it("reads lines", () => {
    const call = callOf("url: https://example.com:8443/a?b=c\n\nmethod: post\ndata: {}\n") as HttpCall;
    expect(JSON.parse(paramOf(call) ?? "")).toEqual({
      url: "https://example.com:8443/a?b=c",
      method: "POST",
      data: "{}",
    });
    expect(paramOf(callOf("url: https://example.com") as HttpCall)).toBe('{\n  "url": "https://example.com"\n}');
  });
  it("writes one method in capitals", () => {
    expect(shown({ url: "u", method: "post" })?.method).toBe("POST");
  });
  it("writes statuses as numbers and classes", () => {
    const call = { ...(shown({ url: "u" }) as HttpCall), expect: "200 2xx; 301," };
    expect(JSON.parse(paramOf(call) ?? "").expect).toEqual([200, "2xx", 301]);
  });
  it("waits until JSON is whole", () => {
    const call = { ...(shown({ url: "u" }) as HttpCall), kind: "json" as const, body: '{"a":' };
    expect([isWrongJson(call), paramOf(call)]).toEqual([true, null]);
    expect(isWrongJson({ ...call, body: '{"a":1}' })).toBe(false);
    expect(isWrongJson({ ...call, kind: "text" })).toBe(false);
  });
  it("has one body", () => {
    const of = (call: HttpCall) => JSON.parse(paramOf(call) ?? "");
    expect(of(withKind(shown({ url: "u", data: "x" }) as HttpCall, "json"))).toEqual({ url: "u", json: {} });
    expect(of(withKind(shown({ url: "u", body: "x" }) as HttpCall, "form"))).toEqual({ url: "u", form: {} });
    expect(of(withKind(shown({ url: "u", json: 1 }) as HttpCall, "none"))).toEqual({ url: "u" });
  });
  it("leaves lines without a name out", () => {
    const call = { ...(shown({ url: "u" }) as HttpCall), headers: [{ key: "", value: "a" }] };
    expect(JSON.parse(paramOf(call) ?? "")).toEqual({ url: "u" });
  });
});
