import type { Schema } from "@/api/types";
import type { UserSearch } from "./route";

export type User = Schema<"User">;
export type Token = Schema<"APIToken">;
export type Session = Schema<"Session">;

/** How a user stands: nothing is good, or a password has to be changed first. */
export function stateOf(user: User): "enabled" | "disabled" | "locked" {
  return user.disabled ? "disabled" : user.must_change_password ? "locked" : "enabled";
}

/** The users that a list is narrowed to. */
export function narrowedUsers(users: readonly User[], { text = "", kind, state, role }: UserSearch): User[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return users.filter((user) => {
    const hay = `${user.name} ${user.title ?? ""} ${user.email ?? ""}`.toLowerCase();
    const grants = [...user.grants, ...(user.provided ?? [])];
    return (
      words.every((word) => hay.includes(word)) &&
      (!kind || user.kind === kind) &&
      (!state || stateOf(user) === state) &&
      (!role || grants.some((grant) => grant.role === role))
    );
  });
}

const letters = "abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/** A random password of 20 characters that cannot be mistaken for each other: 115 bits. */
export function madePassword(length = 20): string {
  let made = "";
  while (made.length < length) {
    // Numbers behind the last whole alphabet would make its first letters likelier.
    for (const one of crypto.getRandomValues(new Uint8Array(length))) {
      if (one < 256 - (256 % letters.length) && made.length < length) made += letters[one % letters.length];
    }
  }
  return made;
}

const day = 86_400_000;

/** When a token is to be good no more. */
export type Expiry = "never" | "30" | "90" | "365" | "custom";

/** The instant of an expiry for the API; undefined for never, null for one that is none or has passed. */
export function expiryAt(expiry: Expiry, custom: string, now: number): string | undefined | null {
  if (expiry === "never") return undefined;
  const at = expiry === "custom" ? Date.parse(custom) : now + Number(expiry) * day;
  return Number.isFinite(at) && at > now ? new Date(at).toISOString() : null;
}

/** Whether a token is good no more. */
export const hasExpired = (token: Token, now: number) =>
  Boolean(token.expires_at) && Date.parse(token.expires_at ?? "") <= now;

/** The browser and the system in the name that a browser gives itself, as people call them. */
export function browserOf(agent: string | undefined): string {
  if (!agent) return "";
  const known: [RegExp, string][] = [
    [/Edg\//, "Edge"],
    [/OPR\//, "Opera"],
    [/Firefox\//, "Firefox"],
    [/Chrom(e|ium)\//, "Chrome"],
    [/Safari\//, "Safari"],
  ];
  const systems: [RegExp, string][] = [
    [/Android/, "Android"],
    [/iPhone|iPad/, "iOS"],
    [/Windows/, "Windows"],
    [/Mac OS X/, "macOS"],
    [/Linux|X11/, "Linux"],
  ];
  const name = known.find(([pattern]) => pattern.test(agent))?.[1];
  const system = systems.find(([pattern]) => pattern.test(agent))?.[1];
  if (!name) return agent.slice(0, 40);
  return system ? `${name}, ${system}` : name;
}
