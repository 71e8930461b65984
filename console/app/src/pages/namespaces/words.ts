import { words } from "@/words";

/** Words of the page of namespaces. */
export const namespaceWords = words("namespaces", {
  title: ["Namespaces", "命名空间", "命名空間"],
  text: [
    "A namespace groups jobs, workflows, calendars, alarms and secrets, and the rights to them. It exists as soon as it contains an object.",
    "命名空间用于归集任务、工作流、日历、告警、密钥及其权限。其中一有内容，命名空间即存在。",
    "命名空間用於歸集任務、工作流程、行事曆、告警、機密及其權限。其中一有內容，命名空間即存在。",
  ],
  name: ["Namespace", "命名空间", "命名空間"],
  jobs: ["Jobs", "任务", "任務"],
  groups: ["Groups", "执行器组", "執行器群組"],
  workflows: ["Workflows", "工作流", "工作流程"],
  calendars: ["Calendars", "日历", "行事曆"],
  look: ["Show only this", "只看此空间", "只看此空間"],
  chosen: ["Selected", "当前选择", "目前選擇"],
  all: ["Show all", "查看全部", "檢視全部"],
  empty: ["No namespaces yet", "还没有命名空间", "還沒有命名空間"],
  emptyText: [
    "Save a job or group in a namespace to create it. Namespaces you have no rights in are not listed.",
    "在某个命名空间中保存任务或执行器组，该命名空间即会出现。没有权限的命名空间不会列出。",
    "在某個命名空間中儲存任務或執行器群組，該命名空間即會出現。沒有權限的命名空間不會列出。",
  ],
});
