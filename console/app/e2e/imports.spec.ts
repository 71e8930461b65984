import { execFileSync } from "node:child_process";
import { checkAxe, expect, setLook, shoot, shootAll, startServer, test } from "./server";

/** What reaches the MariaDB of scripts/services: `make browser` starts it. */
const socket = /unix\(([^)]+)\)/.exec(process.env.ORTH_TEST_MARIADB ?? "")?.[1] ?? "";
const name = `orth_e2e_${process.pid}`;

/** Lets the database carry out statements. */
function sql(...statements: string[]): string {
  return execFileSync("mariadb", ["--socket", socket, "--user", "root", "--batch", "--skip-column-names"], {
    input: `${statements.join(";\n")};\n`,
    encoding: "utf8",
  });
}

/** Makes a database with what XXL-JOB has, and somebody who may read it; returns the JDBC URL. */
function oldDatabase(): string {
  const create = (table: string, columns: string) =>
    `CREATE TABLE ${name}.xxl_job_${table} (id INT PRIMARY KEY, ${columns})`;
  const jobs = [
    "(1, 1, 'Nightly load', 'olga', 'ROUND', 'load', 'BEAN', '', 'CRON', '0 30 2 * * ?', '3', 1)",
    "(2, 1, 'Nearest', 'olga', 'NEAR', 'x', 'BEAN', '', 'NONE', '', '', 0)",
    "(3, 1, '发送日报', 'bob', 'FIRST', '', 'GLUE_SHELL', 'echo mail', 'NONE', '', '', 0)",
    "(4, 2, 'Every minute', 'bob', 'RANDOM', 'tick', 'BEAN', '', 'FIX_RATE', '60', '', 1)",
  ];
  sql(
    `DROP DATABASE IF EXISTS ${name}`,
    `CREATE DATABASE ${name} DEFAULT CHARSET utf8mb4`,
    ...["%", "localhost"].flatMap((host) => [
      `CREATE OR REPLACE USER ${name}@'${host}' IDENTIFIED BY 'reads-only'`,
      `GRANT SELECT ON ${name}.* TO ${name}@'${host}'`,
    ]),
    create("group", "app_name TEXT, title TEXT, address_type INT, address_list TEXT"),
    create(
      "info",
      "job_group INT, job_desc TEXT, author TEXT, executor_route_strategy TEXT, executor_handler TEXT, glue_type TEXT, glue_source TEXT, schedule_type TEXT, schedule_conf TEXT, child_jobid TEXT, trigger_status INT",
    ),
    create("user", "username TEXT, password TEXT, role INT, permission TEXT"),
    `INSERT INTO ${name}.xxl_job_group VALUES (1, 'etl', '数据抽取', 1, '10.0.0.5:9999'), (2, 'ticks', 'Ticks', 0, '')`,
    `INSERT INTO ${name}.xxl_job_info VALUES ${jobs.join(", ")}`,
    `INSERT INTO ${name}.xxl_job_user VALUES (1, 'olga', REPEAT('ab', 16), 0, '1'), (2, 'weak', MD5('123456'), 0, '')`,
  );
  return `jdbc:mysql://127.0.0.1:${sql("SELECT @@port").trim()}/${name}?useSSL=false`;
}

test("a database of XXL-JOB is looked at and taken over", async ({ signedIn: page, orth }) => {
  expect(socket, "ORTH_TEST_MARIADB names no server: `make browser` starts one").not.toBe("");
  const address = oldDatabase();
  try {
    await page.goto(`${orth.url}/console/`);
    await page.getByRole("link", { name: "Import", exact: true }).click();
    await expect(page.getByRole("heading", { name: "Import", level: 1 })).toBeVisible();
    await shootAll(page, "import");
    const look = page.getByRole("button", { name: "Preview import" });
    await expect(look).toHaveAccessibleDescription("Enter the database address to preview.");
    await look.click();
    await expect(page.getByLabel("Database address")).toBeFocused();
    await expect(page.getByText("1 field needs attention")).toBeVisible();

    await page.getByLabel("Database address").fill("jdbc:oracle://db/x");
    await look.click();
    await expect(page.getByRole("alert")).toContainText("is no address");
    await page.getByLabel("Database address").fill(address);
    await page.getByLabel("User", { exact: true }).fill(name);
    await page.getByLabel("Password").fill("wrong");
    await look.click();
    await expect(page.getByRole("alert")).toContainText("Access denied");
    await checkAxe(page);

    await page.getByLabel("Password").fill("reads-only");
    await page.getByRole("combobox", { name: "Namespace" }).fill("moved");
    await page.getByRole("combobox", { name: "Time zone of cron" }).fill("Asia/Shanghai");
    await page.getByRole("option", { name: "Asia/Shanghai" }).click();
    await page.getByRole("checkbox", { name: "Import users" }).check();
    await page.getByRole("checkbox", { name: "Import manually entered" }).check();
    await look.click();
    const would = page.getByRole("table", { name: "Preview" });
    await expect(would.getByRole("row", { name: /nightly-load/ })).toContainText("Create");
    await expect(would.getByRole("row", { name: /job-3/ })).toContainText("发送日报");
    await expect(would.getByRole("row", { name: /olga/ })).toContainText("editor@moved/etl");
    await expect(page.getByRole("table", { name: "Not imported" })).toContainText('"NEAR"');
    await shoot(page, "import-look", true);
    await checkAxe(page);
    expect((await orth.api<{ jobs: unknown[] }>("GET", "/jobs?namespace=moved")).jobs).toEqual([]);

    await page.getByLabel("Key prefix").fill("old-");
    await expect(page.getByText("preview again before importing")).toBeVisible();
    await look.click();
    await expect(would.getByRole("row", { name: /old-nightly-load/ })).toBeVisible();
    await page.getByRole("button", { name: "Import", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await expect(dialog.getByRole("listitem").filter({ hasText: "Jobs" })).toHaveText("Create: Jobs 3");
    await checkAxe(page);
    await dialog.getByRole("button", { name: "Import" }).click();
    const was = page.getByRole("table", { name: "Import result" });
    await expect(was.getByRole("row", { name: /old-nightly-load/ })).toContainText("Done");
    await expect(was.getByRole("row", { name: /weak/ })).toContainText("Failed");
    await expect(page.getByLabel("Password")).toHaveValue("");
    await shoot(page, "import-done", true);
    await checkAxe(page);
    await was.getByRole("link", { name: /old-nightly-load/ }).click();
    await expect(page.getByRole("heading", { name: /Nightly load|old-nightly-load/ })).toBeVisible();

    const lines = await orth.api("GET", "/audit?limit=200");
    expect(JSON.stringify(lines)).not.toContain("reads-only");
  } finally {
    sql(`DROP DATABASE ${name}`, `DROP USER ${name}@'%'`, `DROP USER ${name}@localhost`);
  }
});

test("a crontab, CronJobs and exported jobs are taken over as texts", async ({ signedIn: page, orth }) => {
  await page.goto(`${orth.url}/console/import`);
  await page.getByRole("radio", { name: /Crontab/ }).check();
  const look = page.getByRole("button", { name: "Preview import" });
  await expect(look).toHaveAccessibleDescription("Choose a file or paste its content to preview.");
  await page.getByLabel("File", { exact: true }).setInputFiles({
    name: "crontab",
    mimeType: "text/plain",
    buffer: Buffer.from("30 2 * * * /usr/bin/tidy\n@reboot no\n"),
  });
  await expect(look).toHaveAccessibleDescription("Choose the executor group for the jobs to preview.");
  await page.getByRole("combobox", { name: "Executor group for the jobs" }).fill("samples");
  await page.getByLabel("Key prefix").fill("host1-");
  await expect(look).toBeEnabled();
  await shoot(page, "import-crontab", true);
  await page.getByRole("button", { name: "Preview import" }).click();
  await expect(page.getByRole("row", { name: /host1-tidy/ })).toContainText("Planned");
  await expect(page.getByRole("row", { name: /Line 2/ })).toContainText("start of a machine");
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Import" }).click();
  await expect(page.getByRole("row", { name: /host1-tidy/ })).toContainText("Done");

  await page.getByRole("button", { name: "Preview import" }).click();
  await expect(page.getByText("everything already exists")).toBeVisible();
  await expect(page.getByRole("button", { name: "Import", exact: true })).toHaveCount(0);

  await page.getByRole("radio", { name: /Exported jobs/ }).check();
  await page.getByLabel("File content").fill("{");
  await page.getByLabel("Group mapping by old ID").fill("1=samples");
  await page.getByRole("button", { name: "Preview import" }).click();
  await expect(page.getByRole("alert")).toBeVisible();
  await page.getByRole("radio", { name: /Kubernetes/ }).check();
  await expect(page.getByText("Has a user column")).toHaveCount(0);
  await page.setViewportSize({ width: 390, height: 844 });
  await shoot(page, "import-text-phone", true);
  await setLook(page, "light", "zh-TW");
  await shoot(page, "import-zh-tw", true);
  await checkAxe(page);
});

test("an empty installation leads to the import, and who is no administrator is told", async ({ page }) => {
  const orth = await startServer("server");
  try {
    const { signIn } = await import("./server");
    await signIn(page, orth);
    await page.goto(`${orth.url}/console/`);
    await page.getByRole("link", { name: "Import jobs and users" }).click();
    await expect(page).toHaveURL(/\/console\/import$/);
    await orth.api("POST", "/users", {
      name: "pat",
      password: "correct-horse-battery-2",
      grants: [{ role: "owner", namespace: "*", group: "*" }],
    });
    await page.context().clearCookies();
    const headers = { Origin: orth.url };
    const begun = await page.request.post(`${orth.url}/api/v1/session`, {
      headers,
      data: { user: "pat", password: "correct-horse-battery-2" },
    });
    expect(begun.ok()).toBe(true);
    await page.request.post(`${orth.url}/api/v1/session/password`, {
      headers,
      data: { old_password: "correct-horse-battery-2", new_password: "correct-horse-battery-3" },
    });
    await page.goto(`${orth.url}/console/import`);
    await expect(page.getByText("Only server administrators can import")).toBeVisible();
    await expect(page.getByRole("link", { name: "Import", exact: true })).toHaveCount(0);
    await checkAxe(page);
  } finally {
    await orth.stop();
  }
});
