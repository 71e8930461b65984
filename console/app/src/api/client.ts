import { apiURL } from "./base";
import { Problem, readProblem } from "./problem";
import type { paths } from "./schema";

type Method = "get" | "post" | "put" | "patch" | "delete";

/** The paths that have an operation with a method. */
export type PathsWith<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, { responses: unknown }> ? P : never;
}[keyof paths];

type Operation<P extends keyof paths, M extends Method> = P extends PathsWith<M> ? paths[P][M & keyof paths[P]] : never;

type JSONOf<R> = R extends { content: { "application/json": infer B } } ? B : undefined;

/** The body of a good answer. */
export type Answer<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { responses: infer R } ? JSONOf<R[keyof R & (200 | 201 | 202 | 204)]> : never;

/** The body that a request takes. */
export type Body<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { requestBody: { content: infer C } }
    ? C[keyof C]
    : Operation<P, M> extends { requestBody?: { content: infer C } }
      ? C[keyof C]
      : undefined;

/** The query parameters that a path takes. */
export type Query<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { parameters: { query?: infer Q } } ? Q : never;

/** The parameters within a path. */
export type InPath<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { parameters: { path: infer T } } ? T : undefined;

type Parts<P extends keyof paths, M extends Method> = (InPath<P, M> extends undefined
  ? { path?: undefined }
  : { path: InPath<P, M> }) & { query?: Query<P, M>; signal?: AbortSignal };

/** What a read takes. */
export type ReadOptions<P extends keyof paths> = Parts<P, "get">;

/** What a write takes. */
export type WriteOptions<P extends keyof paths, M extends Method> = Parts<P, M> & {
  body?: Body<P, M>;
  /** The tag of what is to be changed: another one there now is a conflict. */
  ifMatch?: string;
  /** Names the request, so that it takes effect once. Posts get one of their own. */
  idempotencyKey?: string;
};

/** A good answer with its tag. */
export type Tagged<T> = { data: T; etag: string };

/** Called when the server no longer knows who calls. Set once, by the session. */
let signedOut: () => void = () => {};

/** Sets the handler for requests that the server answers with 401. */
export function onSignedOut(then: () => void): void {
  signedOut = then;
}

/** The address of a path with its parameters; values that are absent or empty are left out. */
export function urlOf(path: string, inPath?: unknown, query?: unknown): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String((inPath as Record<string, unknown> | undefined)?.[name] ?? "")),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null && one !== "") search.append(name, String(one));
    }
  }
  const text = search.toString();
  return `${apiURL.href}${filled}${text ? `?${text}` : ""}`;
}

type Loose = {
  path?: unknown;
  query?: unknown;
  body?: unknown;
  signal?: AbortSignal;
  ifMatch?: string;
  idempotencyKey?: string;
};

/** Ends the reads of this page: renewed each time that they are ended. */
let leaving = new AbortController();

/**
 * Ends the reads that go on and have no signal of their own. A page that the tab has left keeps its connections while
 * it is in the back/forward cache, and the next page would wait for them.
 */
export function endReads(): void {
  leaving.abort();
  leaving = new AbortController();
}

async function send(method: Method, path: string, options: Loose): Promise<Response> {
  const headers: Record<string, string> = { Accept: "application/json" };
  if (options.body !== undefined) {
    headers["Content-Type"] = method === "patch" ? "application/merge-patch+json" : "application/json";
  }
  if (options.ifMatch) headers["If-Match"] = options.ifMatch;
  if (options.idempotencyKey) headers["Idempotency-Key"] = options.idempotencyKey;
  let answer: Response;
  try {
    answer = await fetch(urlOf(path, options.path, options.query), {
      method: method.toUpperCase(),
      headers,
      body: options.body === undefined ? undefined : JSON.stringify(options.body),
      signal: options.signal ?? (method === "get" ? leaving.signal : undefined),
      credentials: "same-origin",
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Problem(0, {});
  }
  if (answer.ok) return answer;
  const problem = await readProblem(answer);
  if (answer.status === 401 && path !== "/session") signedOut();
  throw problem;
}

async function bodyOf<T>(answer: Response): Promise<T> {
  const text = await answer.text();
  return (text ? JSON.parse(text) : undefined) as T;
}

/** Reads a path whose types the caller knows. */
export async function read<T>(path: string, options: unknown): Promise<T> {
  return bodyOf(await send("get", path, options as Loose));
}

/** Reads. Throws a Problem. */
export async function get<P extends PathsWith<"get">>(
  path: P,
  options: ReadOptions<P> = {} as ReadOptions<P>,
): Promise<Answer<P, "get">> {
  return read(path, options);
}

/** Reads something with its tag, for a change that must not overwrite another one. */
export async function getTagged<P extends PathsWith<"get">>(
  path: P,
  options: ReadOptions<P> = {} as ReadOptions<P>,
): Promise<Tagged<Answer<P, "get">>> {
  const answer = await send("get", path, options);
  return { data: await bodyOf(answer), etag: answer.headers.get("ETag") ?? "" };
}

async function write<T>(method: Method, path: string, options: unknown): Promise<T> {
  return bodyOf(await send(method, path, options as Loose));
}

/** Makes something, or has it act: once, even when the answer gets lost and it is asked again with the same key. */
export async function post<P extends PathsWith<"post">>(
  path: P,
  options: WriteOptions<P, "post"> = {} as WriteOptions<P, "post">,
): Promise<Answer<P, "post">> {
  const loose = options as Loose;
  return bodyOf(await send("post", path, { ...loose, idempotencyKey: loose.idempotencyKey ?? newKey() }));
}

/** Saves the whole of something. */
export function put<P extends PathsWith<"put">>(path: P, options: WriteOptions<P, "put">): Promise<Answer<P, "put">> {
  return write("put", path, options);
}

/** Changes parts: what is null is taken away, what is absent stays (RFC 7396). */
export function patch<P extends PathsWith<"patch">>(
  path: P,
  options: WriteOptions<P, "patch">,
): Promise<Answer<P, "patch">> {
  return write("patch", path, options);
}

/** Removes. */
export function remove<P extends PathsWith<"delete">>(
  path: P,
  options: WriteOptions<P, "delete"> = {} as WriteOptions<P, "delete">,
): Promise<Answer<P, "delete">> {
  return write("delete", path, options);
}

/** A key for a request that must take effect once. Pages of plain HTTP have no randomUUID. */
export function newKey(): string {
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
