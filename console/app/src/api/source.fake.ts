import type { Source } from "./live";

/** A stream that tests speak for. */
export class FakeSource implements Source {
  readyState = 1;
  private readonly heard = new Map<string, ((event: MessageEvent<string>) => void)[]>();
  constructor(
    readonly after: string,
    readonly url = "",
  ) {}
  addEventListener(name: string, then: (event: MessageEvent<string>) => void) {
    this.heard.set(name, [...(this.heard.get(name) ?? []), then]);
  }
  close() {
    this.readyState = 2;
  }
  /** Speaks as the server does; without data as the browser itself does. */
  tell(name: string, data?: string, lastEventId = "") {
    for (const then of this.heard.get(name) ?? []) then({ data, lastEventId } as MessageEvent<string>);
  }
  fail() {
    this.readyState = 2;
    this.tell("error");
  }
}
