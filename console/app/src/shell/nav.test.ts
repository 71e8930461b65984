import { describe, expect, it } from "vitest";
import { matchesPage, navPages } from "./nav";

const pagesFor = (text: string) => navPages.filter((place) => matchesPage(place, text)).map((place) => place.to);

describe("matchesPage", () => {
  it.each([
    ["jobs", "/jobs"],
    ["任务管理", "/jobs"],
    ["任務管理", "/jobs"],
    ["Job Manage", "/jobs"],
    ["调度日志", "/runs"],
    ["排程日誌", "/runs"],
    ["runs", "/runs"],
    ["执行器管理", "/groups"],
    ["groups", "/groups"],
    ["运行报表", "/"],
    ["用户管理", "/users"],
    ["补数", "/backfills"],
    ["supertask", "/templates"],
  ])("finds %s at %s", (text, to) => expect(pagesFor(text)).toContain(to));
  it("finds all pages by nothing", () => expect(pagesFor("")).toHaveLength(navPages.length));
  it("finds none by a name that no page has", () => expect(pagesFor("no such page")).toEqual([]));
});
