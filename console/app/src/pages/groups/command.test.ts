import { expect, test, vi } from "vitest";

vi.mock("@/api/base", () => ({ consoleURL: new URL("https://orth.test/x/console/") }));

test("the command names the server, the group and a token", async () => {
  const { executorCommand } = await import("./command");
  expect(executorCommand("etl")).toBe(
    "orth executor --servers https://orth.test/x --group etl --executor-token-file executor.token",
  );
  expect(executorCommand("etl", "etl.token")).toBe(
    "orth executor --servers https://orth.test/x --group etl --group-token-file etl.token",
  );
});
