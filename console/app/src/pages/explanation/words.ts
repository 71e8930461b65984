import { words } from "@/words";

/** What fills gaps of sentences: units, and what the API has by names. */
export const valueWords = words("explanationValues", {
  day: ["d", "天", "天"],
  hour: ["h", "小时", "小時"],
  minute: ["min", "分", "分"],
  second: ["s", "秒", "秒"],
  milli: ["ms", "毫秒", "毫秒"],
  what_slot: ["its slot", "计划时间", "排定時間"],
  what_made: ["it was made", "产生", "產生"],
  what_attempt: ["the end of the attempt before", "上一次尝试结束", "上一次嘗試結束"],
  gap_skip: ["skip", "跳过", "略過"],
  policy_skip: ["skip", "跳过", "略過"],
  gap_fire_after: ["fire after", "在其后触发", "在其後觸發"],
  gap_fire_before: ["fire before", "在其前触发", "在其前觸發"],
  policy_fire_once: ["fire once", "触发一次", "觸發一次"],
  policy_fire_all: ["fire all", "全部触发", "全部觸發"],
  overlap_first: ["first", "在第一次触发", "在第一次觸發"],
  overlap_second: ["second", "在第二次触发", "在第二次觸發"],
  overlap_both: ["both", "两次都触发", "兩次都觸發"],
});

/** What stands in reasons that the server keeps in words. */
export const reasonWords = words("reasonValues", {
  notReady: ["was not ready", "尚未就绪", "尚未就緒"],
  run: ["run", "运行", "執行"],
  callOver: ["a call that is under way has ended", "正在进行的调用结束", "正在進行的呼叫結束"],
  moreThan: ["more than {{n}}", "超过 {{n}}", "超過 {{n}}"],
  nMore: ["{{n}} more", "另有 {{n}} 个", "另有 {{n}} 個"],
  and: [", ", "、", "、"],
  n_call: ["{{n}} calls", "{{n}} 次调用", "{{n}} 次呼叫"],
  n_executor: ["{{n}} executors", "{{n}} 个执行器", "{{n}} 個執行器"],
  n_shard: ["{{n}} shards", "{{n}} 个分片", "{{n}} 個分片"],
  n_slot: ["{{n}} slots", "{{n}} 个计划时间", "{{n}} 個排定時間"],
  n_task: ["{{n}} tasks", "{{n}} 个任务", "{{n}} 個任務"],
  n_retry: ["{{n}} retries", "{{n}} 次", "{{n}} 次"],
  ends_failures: ["failures", "失败", "失敗"],
  ends_timeouts: ["timeouts", "超时", "逾時"],
  ends_losses: ["losses", "失联", "失聯"],
  overlap_serial: ["serial", "排队等待", "排隊等待"],
  overlap_discard: ["discard", "放弃", "放棄"],
  overlap_cover: ["cover", "取而代之", "取而代之"],
  overlap_concurrent: ["concurrent", "并行", "並行"],
  policy_skip: ["skip", "跳过", "略過"],
  policy_fire_once: ["fire_once", "触发一次", "觸發一次"],
  policy_fire_all: ["fire_all", "全部触发", "全部觸發"],
});
