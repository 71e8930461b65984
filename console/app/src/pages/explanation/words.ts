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
