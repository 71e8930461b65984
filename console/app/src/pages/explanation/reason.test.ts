import { describe, expect, it } from "vitest";
import list from "../../../../../testdata/reasons.json";
import { patternOf, reasonIn } from "./reason";
import { reasons } from "./reasons";
import { reasonWords, valueWords } from "./words";

/** Gaps and verbs alike, and what is left out: the words between them stay. */
const bones = (text: string) => text.replace(/%[dqsvw]|\{\w+\}/g, "{}").replace(/(\{\})+/g, "{}");

/** The English of all reasons, without and within what may be missing. */
const english = reasons.flatMap(([text]) => [
  bones(text.replace(/\[[^\]]*\]/g, "{}")),
  bones(text.replace(/\[([^\]]*)\]/g, "$1")),
]);

/** What stands in gaps of reasons, and what the server says elsewhere than in reasons. */
const others = new Set([
  "%q is unknown; use one of %v",
  " is the last administrator of the whole server",
  "%d more",
  "%d of %d",
  "%s%d (run %d %s%s)",
  ", and %d more",
  "more than %d",
  "a call that is under way has ended",
  "all %d executors are left alone, %s too,",
  "timed out",
  "was lost",
  "was not ready",
  "… [cut]",
  "… [cut: for the rest see the log, 'orth run log %d']",
]);

const zh = (text: string) => reasonIn(text, "Europe/Berlin", "zh-CN").text;

describe("the reasons of the server", () => {
  it.each(list.filter((text) => !others.has(text)))("%s has Chinese", (text) => {
    const wanted = bones(text);
    expect(english.some((one) => one.includes(wanted.replace(/^\{\}|\{\}$/g, "")))).toBe(true);
  });
  it.each([...others])("%s is still said", (text) => expect(list).toContain(text));
  it.each(reasons.map((one) => [...one]))(
    "%s has its gaps in Chinese, and its parts in their order",
    (own, ...chinese) => {
      const gaps = (text: string) => [...new Set(text.match(/\{\w+\}/g))].filter((gap) => !/\{(verb|have)\}/.test(gap));
      const parts = (text: string) => (text.match(/\[[^\]]*\]/g) ?? []).map((part) => gaps(part).sort());
      for (const text of chinese) {
        expect(gaps(text).sort()).toEqual(gaps(own).sort());
        expect(parts(text)).toEqual(parts(own));
      }
    },
  );
  it.each(reasons.map((one) => [...one]))("%s is recognised as itself", (own, hans) => {
    const plain = (text: string) => text.replace(/\[[^\]]*\]/g, "").replace(/\{\w+\}/g, "7");
    if (/^\{\w+\}/.test(own)) return expect(patternOf(own).pattern.test(plain(own))).toBe(true);
    expect(zh(plain(own))).toBe(plain(hans));
  });
});

describe("reasonIn", () => {
  it.each([
    ["no executor of group samples is alive", "执行器组 samples 没有在线的执行器"],
    [
      "starts at 2026-05-06T00:30:00Z, 1m30s after it was asked for",
      "将于 2026-05-06 02:30:00 GMT+2 开始，即触发之后 1 分 30 秒",
    ],
    ["waits for run 812 of the same job (serial)", "等待同一任务的运行 812（排队等待）"],
    [
      "expired: waited 30s and no executor took it; the last reason: no executor of group a is alive",
      "已过期：等待了 30 秒，没有执行器接收；最近的原因：执行器组 a 没有在线的执行器",
    ],
    ["expired: waited 30s and no executor took it", "已过期：等待了 30 秒，没有执行器接收"],
    [
      "executor a:9999 is left alone until 2026-05-06T00:30:00Z: 5 calls in a row have failed, the last one: connection refused",
      "暂不向执行器 a:9999 派发，直到2026-05-06 02:30:00 GMT+2：已连续 5 次调用失败，最近一次：connection refused",
    ],
    [
      "all 2 executors are left alone, a:9999 too, until a call that is under way has ended: 1 call in a row has failed, the last one: EOF",
      "暂不向全部 2 个执行器派发，包括 a:9999，直到正在进行的调用结束：已连续 1 次调用失败，最近一次：EOF",
    ],
    ["attempt 1 failed; retry 1 of 3 follows in 10s", "第 1 次尝试失败；10 秒后进行第 1 次重试，共 3 次"],
    [
      "attempt 1 was not ready; retry 1 of 3 follows in 10s, as the handler asked",
      "第 1 次尝试尚未就绪；10 秒后进行第 1 次重试，共 3 次（由处理器要求）",
    ],
    [
      "attempt 2 timed_out; retry 2 of 3 follows in 10s, on another executor when one is alive",
      "第 2 次尝试超时；10 秒后进行第 2 次重试，共 3 次，若有其他在线的执行器则改用它",
    ],
    ["gave up after 1 retry", "重试 1 次后放弃"],
    ["gave up after 3 retries", "重试 3 次后放弃"],
    ["not tried again: the job retries only after failures and losses", "未再尝试：任务仅在失败、失联后重试"],
    ["run 7 succeeded", "运行 7：成功"],
    ["run 7 was lost", "运行 7：失联"],
    ["run 7: timed out: exit status 3", "运行 7：超时：exit status 3"],
    ["in the place of run 7, which timed out", "代替运行 7（超时）"],
    ["shard 2 of 3 of run 7", "运行 7 的分片 2/3"],
    ["shard 2/3 of run 7, which run 5 did before", "运行 7 的分片 2/3，此前由运行 5 执行"],
    ["split into 3 shards over 2 executors", "拆分为 3 个分片，分布在 2 个执行器上"],
    [
      "3 of 40 shards failed: 2 (run 48 failed: exit value(1), sorry), 3 (run 49 timed out), and 1 more",
      "40 个分片中有 3 个失败：2 (运行 48 失败: exit value(1), sorry)、3 (运行 49 超时)、另有 1 个",
    ],
    [
      "1 of 4 shards failed; 'orth run retry-shards 45' does those again",
      "4 个分片中有 1 个失败；可重新运行失败的分片（orth run retry-shards 45）",
    ],
    [
      "1 of 1 shard failed; 'orth run retry-shards 45' does those again",
      "1 个分片中有 1 个失败；可重新运行失败的分片（orth run retry-shards 45）",
    ],
    ["not reached: extract has failed, load was skipped", "未到达：extract 失败、load 已跳过"],
    ["nodes a, b, 3 more have failed", "以下节点失败：a、b、另有 3 个"],
    [
      "more than 500 firings from 2026-05-06T00:00:00Z to 2026-05-07T00:00:00Z were missed; misfire policy fire_once let them go: it makes up for the newest only",
      "2026-05-06 02:00:00 GMT+2 至 2026-05-07 02:00:00 GMT+2 的 超过 500 次触发已错过；按错过触发策略“触发一次”放弃：只补最近的一次",
    ],
    [
      "held by pause night (backup of disks); misfire policy skip",
      "被暂停 night (backup of disks) 挂起；错过触发策略：跳过",
    ],
    ["calendar de does not allow the day, Labour Day", "日历 de 不允许这一天（Labour Day）"],
    [
      "executor a:1 was told to end it; its report is awaited; executor a:1 cannot end one attempt alone: it ends all that it has of the job, also run 5",
      "已通知执行器 a:1 终止，正在等待其报告；执行器 a:1 无法单独终止一次尝试：它会终止该任务的全部运行，包括运行 5",
    ],
    [
      "no executor is idle: a:1 is busy with the job; b:1 does not answer: EOF",
      "没有空闲的执行器：a:1 正忙于该任务、b:1 没有应答：EOF",
    ],
    [
      "there were 3 slots instead of 5: the job's schedule was changed after the backfill was made",
      "共 3 个计划时间，而非 5 个：创建回填之后任务的调度被更改",
    ],
  ])("%s", (text, want) => {
    expect(reasonIn(text, "Europe/Berlin", "zh-CN")).toEqual({ text: want, lang: "zh-CN" });
    expect(reasonIn(text, "Europe/Berlin", "zh-TW").lang).toBe("zh-TW");
    expect(reasonIn(text, "Europe/Berlin", "en")).toEqual({ text, lang: undefined });
  });
  it.each(["wrong month", "exit status 3", "", "维护 [x] {run}", `covered by run ${"7".repeat(3_000)}`])(
    "leaves what people and programs say: %s",
    (text) => expect(reasonIn(text, "UTC", "zh-CN")).toEqual({ text, lang: undefined }),
  );
  it("does not read values as gaps", () => expect(zh("run 7: failed: [a] {end}")).toBe("运行 7：失败：[a] {end}"));
  it("has words for each count and choice in both scripts", () => {
    for (const [key, triple] of [...Object.entries(reasonWords.entries), ...Object.entries(valueWords.entries)])
      expect(triple.every(Boolean), key).toBe(true);
  });
});
