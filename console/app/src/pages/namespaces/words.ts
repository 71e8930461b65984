import { words } from "@/words";

/** Words of the page of namespaces. */
export const namespaceWords = words("namespaces", {
  title: ["Namespaces", "命名空间", "命名空間"],
  text: [
    "Places for what belongs together: jobs, workflows, calendars, alarms and secrets, and the rights to them. A namespace is there as soon as something is in it.",
    "用于归集相关内容的空间：任务、工作流、日历、告警、密钥及其权限。只要其中有内容，命名空间即存在。",
    "用於歸集相關內容的空間：任務、工作流程、行事曆、告警、機密及其權限。只要其中有內容，命名空間即存在。",
  ],
  name: ["Namespace", "命名空间", "命名空間"],
  jobs: ["Jobs", "任务", "任務"],
  groups: ["Groups", "执行器组", "執行器群組"],
  workflows: ["Workflows", "工作流", "工作流程"],
  calendars: ["Calendars", "日历", "行事曆"],
  look: ["Look at this one alone", "只看此空间", "只看此空間"],
  chosen: ["Looked at now", "当前选择", "目前選擇"],
  all: ["Look at all", "查看全部", "檢視全部"],
  empty: ["No namespace yet", "还没有命名空间", "還沒有命名空間"],
  emptyText: [
    "Save a job or a group in a namespace, and it is there. Namespaces in which you have no right are not listed.",
    "在某个命名空间中保存任务或执行器组，该命名空间即会出现。没有权限的命名空间不会列出。",
    "在某個命名空間中儲存任務或執行器群組，該命名空間即會出現。沒有權限的命名空間不會列出。",
  ],
});
