import { words } from "@/words";

/** Words of the list of templates. */
export const templatesWords = words("templates", {
  title: ["Templates", "任务模板", "任務範本"],
  text: [
    "Jobs whose code other jobs share: one change reaches all of them. The Java Orth calls them SuperTasks.",
    "代码由其他任务共用的任务：修改一次，全部生效。Java 版 Orth 称为 SuperTask。",
    "程式碼由其他任務共用的任務：修改一次，全部生效。Java 版 Orth 稱為 SuperTask。",
  ],
  all: ["Include jobs without instances", "包括没有实例的任务", "包括沒有實例的任務"],
  template: ["Template", "模板", "範本"],
  code: ["Code", "代码", "程式碼"],
  instances: ["Instances", "实例", "實例"],
  inList_one: ["{{count}} job", "{{count}} 个任务", "{{count}} 個任務"],
  inList_other: ["all {{count}} jobs", "全部 {{count}} 个任务", "全部 {{count}} 個任務"],
  pinned: ["{{n}} pinned to an older version", "{{n}} 个固定旧版本", "{{n}} 個固定舊版本"],
  make: ["Create instance", "创建实例", "建立實例"],
  emptyTitle: ["No templates yet", "尚无模板", "尚無範本"],
  emptyText: [
    "Any job with code can be a template: create an instance of it in the job list, and both share the code.",
    "任何自带代码的任务都可作为模板：在任务列表中为其创建实例，两者运行相同代码。",
    "任何自帶程式碼的任務都可作為範本：在任務清單中為其建立實例，兩者執行相同程式碼。",
  ],
  toJobs: ["Go to jobs", "前往任务", "前往任務"],
});
