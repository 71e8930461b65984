import { words } from "@/words";

/** Words of the inputs of a job. */
export const inputWords = words("jobs.inputs", {
  inputs: ["Inputs", "运行输入", "執行輸入"],
  help: [
    "Values a run can be given. Write {{place}} where each goes in the parameter; the rest of the parameter is then fixed.",
    "运行可接收的值。在参数中以 {{place}} 标出每个值的位置；此后参数的其余部分固定不变。",
    "執行可接收的值。在參數中以 {{place}} 標出每個值的位置；此後參數的其餘部分固定不變。",
  ],
  input: ["Input {{n}}", "输入 {{n}}", "輸入 {{n}}"],
  add: ["Add input", "添加输入", "新增輸入"],
  remove: ["Remove input {{n}}", "删除输入 {{n}}", "刪除輸入 {{n}}"],
  name: ["Name", "名称", "名稱"],
  type: ["Type", "类型", "類型"],
  text: ["Text", "文本", "文字"],
  integer: ["Integer", "整数", "整數"],
  number: ["Number", "数字", "數字"],
  boolean: ["True or false", "布尔值", "布林值"],
  required: ["Required", "必填", "必填"],
  requiredHelp: [
    "Every run needs a value, so the job cannot have a schedule.",
    "每次运行都须提供值，因此任务不能定时调度。",
    "每次執行都須提供值，因此任務不能定時排程。",
  ],
  default: ["Default", "默认值", "預設值"],
  options: ["Allowed values", "允许的值", "允許的值"],
  optionsHelp: [
    "Press Enter after each value. Empty: any value.",
    "逐个输入后按 Enter；留空则不限。",
    "逐個輸入後按 Enter；留空則不限。",
  ],
  pattern: ["Pattern", "匹配模式", "比對模式"],
  patternHelp: [
    "A regular expression (RE2) that the whole value must match.",
    "须与整个值匹配的正则表达式（RE2）。",
    "須與整個值相符的正規表示式（RE2）。",
  ],
  min: ["Minimum", "最小", "最小"],
  max: ["Maximum", "最大", "最大"],
  minChars: ["Minimum length", "最少字符数", "最少字元數"],
  maxChars: ["Maximum length", "最多字符数", "最多字元數"],
  description: ["Description", "说明", "說明"],
  descriptionHelp: [
    "What the value is for. Shown when a run is triggered.",
    "值的用途，在执行一次时显示。",
    "值的用途，在執行一次時顯示。",
  ],
});
