import type { Schema } from "@/api/types";
import { httpHandler } from "./httpcall";
import { commandHandler, type RunKind } from "./runs";

/** What the living executors of a group can run. */
export type Offer = Schema<"GroupHandlers">;

const count = (offer: Offer, kind: string, name?: string) =>
  offer.handlers.find((one) => one.kind === kind && one.name === name)?.executors ?? 0;

/** The names of handlers that executors announce, without those that have a form of their own. */
export function namesIn(offer: Offer | undefined): { name: string; executors: number }[] {
  return (offer?.handlers ?? []).flatMap(({ kind, name, executors }) =>
    kind === "named" && name && name !== httpHandler && name !== commandHandler ? [{ name, executors }] : [],
  );
}

/** Reports whether no executor of a group supports a kind. It is unknown for executors that announce nothing. */
export function lacksKind(offer: Offer | undefined, kind: RunKind): boolean {
  if (!offer || offer.executors === 0 || offer.silent > 0) return false;
  switch (kind) {
    case "template":
      return false;
    case "handler":
      return namesIn(offer).length === 0;
    case "http":
      return count(offer, "named", httpHandler) === 0;
    case "command":
      return count(offer, "named", commandHandler) === 0;
    default:
      return count(offer, kind) === 0;
  }
}

/** The hint on a handler name: none, not registered, or perhaps registered. */
export function nameStatus(offer: Offer | undefined, name: string): "fine" | "nobody" | "perhaps" {
  if (!offer || offer.executors === 0 || name.trim() === "") return "fine";
  if (count(offer, "named", name.trim()) > 0) return "fine";
  return offer.silent > 0 ? "perhaps" : "nobody";
}
