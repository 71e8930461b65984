import { useCallback, useSyncExternalStore } from "react";

type Ticker = { listeners: Set<() => void>; timer: ReturnType<typeof setInterval> | undefined; now: number };

const tickers = new Map<number, Ticker>();

function tickerOf(every: number): Ticker {
  const known = tickers.get(every) ?? { listeners: new Set(), timer: undefined, now: Date.now() };
  tickers.set(every, known);
  return known;
}

/** The time of the browser in ms, updated every `step` ms. Users of the same step share one timer. */
export function useNow(every = 1_000): number {
  const subscribe = useCallback(
    (listener: () => void) => {
      const ticker = tickerOf(every);
      ticker.listeners.add(listener);
      if (ticker.timer === undefined) {
        ticker.now = Date.now();
        ticker.timer = setInterval(() => {
          ticker.now = Date.now();
          for (const tell of ticker.listeners) tell();
        }, every);
      }
      return () => {
        ticker.listeners.delete(listener);
        if (ticker.listeners.size === 0) {
          clearInterval(ticker.timer);
          ticker.timer = undefined;
        }
      };
    },
    [every],
  );
  return useSyncExternalStore(subscribe, () => tickerOf(every).now);
}
