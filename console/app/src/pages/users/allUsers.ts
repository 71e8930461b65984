import { get } from "@/api/client";
import type { User } from "./people";

/** Reads all users by name; there are at most 10,000. */
export async function allUsers(signal?: AbortSignal): Promise<User[]> {
  const found: User[] = [];
  let after: string | undefined;
  do {
    const page = await get("/users", { query: { after, limit: 500 }, signal });
    found.push(...page.users);
    after = page.next;
  } while (after);
  return found;
}

/** The key of the read of all users. */
export const allUsersKey = ["/users", "all"] as const;
