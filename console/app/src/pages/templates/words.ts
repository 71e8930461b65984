import { words } from "@/words";

/** Words of the list of templates. */
export const templatesWords = words("templates", {
  title: ["Templates", "模板", "範本"],
  text: [
    "Jobs whose code others run: one change reaches all of them. Orth's older console calls them SuperTasks.",
    "其代码由其他任务共用：修改一次，全部生效。旧版 Orth 称为 SuperTask。",
    "其程式碼由其他任務共用：修改一次，全部生效。舊版 Orth 稱為 SuperTask。",
  ],
  all: ["Also jobs without instances", "包括没有实例的任务", "包括沒有實例的任務"],
  template: ["Template", "模板", "範本"],
  code: ["Code", "代码", "程式碼"],
  instances: ["Instances", "实例", "實例"],
  inList_one: ["{{count}} job", "{{count}} 个任务", "{{count}} 個任務"],
  inList_other: ["all {{count}} jobs", "全部 {{count}} 个任务", "全部 {{count}} 個任務"],
  pinned: ["{{n}} keep an older version", "{{n}} 个固定旧版本", "{{n}} 個固定舊版本"],
  make: ["Make an instance", "创建实例", "建立實例"],
  emptyTitle: ["No templates yet", "尚无模板", "尚無範本"],
  emptyText: [
    "Any job with code can be one: make an instance of it in the list of jobs, and both run the same code.",
    "任何自带代码的任务都可作为模板：在任务列表中为其创建实例，两者运行相同代码。",
    "任何自帶程式碼的任務都可作為範本：在任務清單中為其建立實例，兩者執行相同程式碼。",
  ],
  toJobs: ["To the jobs", "前往任务", "前往任務"],
});
