import type { Pair } from "./values";

/** The handler of executors that make HTTP calls, which reads the parameter of its jobs as a request. */
export const httpHandler = "httpJobHandler";

export const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

/** What a request has as its body: nothing, a text, JSON, or fields of a form. */
export const bodyKinds = ["none", "text", "json", "form"] as const;
export type BodyKind = (typeof bodyKinds)[number];

/** A request as the form has it; "" for what has its default. */
export type HttpCall = {
  url: string;
  /** "" is GET, and POST with a body. */
  method: string;
  headers: Pair[];
  kind: BodyKind;
  body: string;
  fields: Pair[];
  /** Statuses and classes of them, such as "200, 2xx". */
  expect: string;
  expectBody: string;
  timeout: string;
  /** Fields of the parameter that the form does not have. */
  rest: object;
};

export const emptyCall: HttpCall = {
  url: "",
  method: "",
  headers: [],
  kind: "none",
  body: "",
  fields: [],
  expect: "",
  expectBody: "",
  timeout: "",
  rest: {},
};

const isText = (value: unknown): value is string => typeof value === "string";
const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function textsOf(value: unknown): Pair[] | null {
  if (!isObject(value)) return null;
  const entries = Object.entries(value);
  return entries.every(([, one]) => isText(one)) ? entries.map(([key, one]) => ({ key, value: one })) : null;
}

function statusesOf(value: unknown): string | null {
  const all = Array.isArray(value) ? value : [value];
  return all.every((one) => isText(one) || typeof one === "number") ? all.join(", ") : null;
}

/** Lines of url:, method: and data:, as XXL-JOB's sample has them. */
function callOfLines(text: string): HttpCall | null {
  const call: HttpCall = { ...emptyCall };
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const [, name, value] = /^\s*(url|method|data)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    if (name === undefined || value === undefined) return null;
    // What the executor makes of data depends on the method, so it stays what it is.
    if (name === "data") call.rest = { data: value };
    else if (name === "method") call.method = value.toUpperCase();
    else call.url = value;
  }
  return call;
}

/** The request of a parameter; null when the form cannot show it, for it is none or has more in it. */
export function callOf(param: string): HttpCall | null {
  const text = param.trim();
  if (text === "") return emptyCall;
  if (!text.startsWith("{")) return callOfLines(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(value)) return null;
  const { url, method, headers, body, json, form, expect, expect_body, timeout, ...rest } = value as Record<
    string,
    unknown
  >;
  const texts = [url ?? "", method ?? "", expect_body ?? "", body ?? ""];
  const pairs = textsOf(headers ?? {});
  const fields = textsOf(form ?? {});
  const statuses = expect === undefined ? "" : statusesOf(expect);
  const lasts = timeout === undefined ? "" : isText(timeout) || typeof timeout === "number" ? String(timeout) : null;
  const bodies = [body, json, form, rest.data].filter((one) => one !== undefined);
  if (!texts.every(isText) || !pairs || !fields || statuses === null || lasts === null || bodies.length > 1)
    return null;
  const kind = body !== undefined ? "text" : json !== undefined ? "json" : form !== undefined ? "form" : "none";
  return {
    url: (url as string | undefined) ?? "",
    method: ((method as string | undefined) ?? "").toUpperCase(),
    headers: pairs,
    kind,
    body: kind === "json" ? JSON.stringify(json, null, 2) : ((body as string | undefined) ?? ""),
    fields,
    expect: statuses,
    expectBody: (expect_body as string | undefined) ?? "",
    timeout: lasts,
    rest,
  };
}

const recordOf = (pairs: readonly Pair[]) =>
  Object.fromEntries(pairs.filter((pair) => pair.key !== "").map((pair) => [pair.key, pair.value]));

function statusesTo(text: string): (string | number)[] {
  const all = text.split(/[\s,;]+/).filter(Boolean);
  return all.map((one) => (/^\d+$/.test(one) ? Number(one) : one));
}

/** The request with another kind of body, in place of any that it has. */
export function withKind(call: HttpCall, kind: BodyKind): HttpCall {
  const { data: _, ...rest } = call.rest as { data?: unknown };
  return { ...call, kind, body: kind === "json" && call.body.trim() === "" ? "{}" : call.body, rest };
}

/** Whether the body of a request that is to be JSON is none. */
export function isWrongJson(call: HttpCall): boolean {
  if (call.kind !== "json") return false;
  try {
    JSON.parse(call.body);
    return false;
  } catch {
    return true;
  }
}

/** The parameter that a request is, "" for none; null while its body is to be JSON and is none. */
export function paramOf(call: HttpCall): string | null {
  if (isWrongJson(call)) return null;
  const headers = recordOf(call.headers);
  const expect = statusesTo(call.expect);
  const seconds = /^\d+(\.\d+)?$/.test(call.timeout.trim());
  const value = {
    url: call.url.trim() || undefined,
    method: call.method || undefined,
    headers: Object.keys(headers).length > 0 ? headers : undefined,
    body: call.kind === "text" ? call.body : undefined,
    json: call.kind === "json" ? JSON.parse(call.body) : undefined,
    form: call.kind === "form" ? recordOf(call.fields) : undefined,
    expect: expect.length > 1 ? expect : expect[0],
    expect_body: call.expectBody || undefined,
    timeout: seconds ? Number(call.timeout) : call.timeout.trim() || undefined,
    ...call.rest,
  };
  const text = JSON.stringify(value, null, 2);
  return text === "{}" ? "" : text;
}
