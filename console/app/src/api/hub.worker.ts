import { type Ask, StreamHub } from "./hub";

/** All windows of the console share this worker, and through it one stream of events. */
const hub = new StreamHub((url) => new EventSource(url));

addEventListener("connect", (event) => {
  const [port] = (event as MessageEvent).ports;
  if (!port) return;
  const hear = hub.join((tell) => port.postMessage(tell));
  port.onmessage = ({ data }: MessageEvent<Ask>) => hear(data);
});
