import { consoleURL } from "@/api/base";

/** Where executors find this server. */
export const serverURL = new URL("..", consoleURL).href.replace(/\/$/, "");

/**
 * The command that starts an executor of a group. It shows the token that it makes of the file executor.token of the
 * server's data folder, or with a file that of the group.
 */
export function executorCommand(group: string, groupTokenFile?: string): string {
  const token = groupTokenFile ? `--group-token-file ${groupTokenFile}` : "--executor-token-file executor.token";
  return `orth executor --servers ${serverURL} --group ${group} ${token}`;
}
