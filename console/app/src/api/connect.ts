import { StreamHub, type Tell } from "./hub";
import HubWorker from "./hub.worker?sharedworker";
import type { Line } from "./link";

/** Whether this page has to do without the hub that windows share: browsers have no shared workers, or let none run. */
let alone = typeof SharedWorker === "undefined";
let own: StreamHub | null = null;

/** Opens a connection to the hub of a user. `fail` reports that there is none; the next connection uses a hub inside the page. */
export function connect(user: string, hear: (tell: Tell) => void, fail: () => void): Line {
  if (alone) return connectOwn(hear);
  const worker = new HubWorker({ name: user });
  worker.port.onmessage = ({ data }: MessageEvent<Tell>) => hear(data);
  worker.onerror = () => {
    alone = true;
    fail();
  };
  return {
    send: (ask) => worker.port.postMessage(ask),
    close: () => {
      worker.onerror = null;
      worker.port.close();
    },
  };
}

function connectOwn(hear: (tell: Tell) => void): Line {
  own ??= new StreamHub((url) => new EventSource(url));
  let open = true;
  const send = own.join((tell) =>
    queueMicrotask(() => {
      if (open) hear(tell);
    }),
  );
  return {
    send,
    close: () => {
      open = false;
    },
  };
}
