import type { Schema } from "@/api/types";
import type { Language } from "@/words";

type Finding = Schema<"ImportFinding">;
type Code = NonNullable<Finding["code"]>;

/** What the server finds, in 简体中文 and 繁體中文; {0}, {1} … are what stands in it. Its own words are English. */
export const findingWords: Record<Code, readonly [hans: string, hant: string]> = {
  "address-left-out": ["alarm_email 中的一个地址未导入：{0}", "alarm_email 中的一個地址未匯入：{0}"],
  "at-once-bounded": [
    "原先可无限并行运行：此处最多同时运行 {0} 次，其余等待",
    "原先可無限並行執行：此處最多同時執行 {0} 次，其餘等待",
  ],
  "at-once-unknown": ["导出内容未说明可同时处理多少次运行：按 1 处理", "匯出內容未說明可同時處理多少次執行：按 1 處理"],
  "at-reboot": [
    "未导入：此处不会在机器启动时触发，请改为在启动脚本中触发任务",
    "未匯入：此處不會在機器啟動時觸發，請改為在啟動指令碼中觸發任務",
  ],
  "child-itself": ["child_jobid {0} 是任务自身：未导入", "child_jobid {0} 是任務自身：未匯入"],
  "child-left-out": ["child_jobid {0} 未导入，因为该任务本身未导入", "child_jobid {0} 未匯入，因為該任務本身未匯入"],
  "child-loop": [
    "child_jobid {0} 未导入：该任务会再次触发此任务，形成无限循环",
    "child_jobid {0} 未匯入：該任務會再次觸發此任務，形成無限迴圈",
  ],
  "child-no-number": ["child_jobid {0} 不是任务编号：未导入", "child_jobid {0} 不是任務編號：未匯入"],
  "child-twice": [
    "child_jobid {0} 写了两次，原先会触发两次：此处只触发一次",
    "child_jobid {0} 寫了兩次，原先會觸發兩次：此處只觸發一次",
  ],
  "child-unknown": [
    "子任务 {0} 是旧服务器的编号，导出内容中没有该任务：请按键添加子任务",
    "子任務 {0} 是舊伺服器的編號，匯出內容中沒有該任務：請按鍵新增子任務",
  ],
  "days-both": [
    "日期与星期：原先满足其一即触发，因其中之一以 * 开头，此处须同时满足",
    "日期與星期：原先滿足其一即觸發，因其中之一以 * 開頭，此處須同時滿足",
  ],
  "deadline-no-number": [
    "startingDeadlineSeconds 未导入：{0} 不是有效数字",
    "startingDeadlineSeconds 未匯入：{0} 不是有效數字",
  ],
  "field-left-out": ["{0}{1} 未导入", "{0}{1} 未匯入"],
  "field-no-number": ["{0}{1} 未导入：{2} 不是 {3} 到 {4} 之间的数字", "{0}{1} 未匯入：{2} 不是 {3} 到 {4} 之間的數字"],
  "group-joined": ["与执行器组 {0} 同名：在此处合并为一个组", "與執行器群組 {0} 同名：在此處合併為一個群組"],
  "group-left-out": ["该组及其任务未导入：{0}", "該群組及其任務未匯入：{0}"],
  "image-not-run": [
    "此处不运行镜像：该组的执行器须具备 {0} 中的程序",
    "此處不執行映像：該群組的執行器須具備 {0} 中的程式",
  ],
  "image-program": [
    "未导入：它运行镜像 {0} 指定的程序，此处无从得知；请写出完整命令",
    "未匯入：它執行映像 {0} 指定的程式，此處無從得知；請寫出完整命令",
  ],
  "init-containers": [
    "未导入：含有 initContainers；请将其做成任务并组成工作流",
    "未匯入：含有 initContainers；請將其做成任務並組成工作流程",
  ],
  "job-left-out": ["任务 {0} 未导入：{1}", "任務 {0} 未匯入：{1}"],
  "label-too-long": ["{0} 超过 {1} 字节，未作为标签", "{0} 超過 {1} 位元組，未作為標籤"],
  "left-out": ["未导入：{0}", "未匯入：{0}"],
  "mail-left-out": [
    "{0} 未导入：任务的输出在其日志中，失败由告警通知",
    "{0} 未匯入：任務的輸出在其日誌中，失敗由告警通知",
  ],
  "name-taken": ["未导入：此处用户名为小写，{0} 已占用该名称", "未匯入：此處使用者名稱為小寫，{0} 已佔用該名稱"],
  "no-command": ["未导入：其中没有命令{0}", "未匯入：其中沒有命令{0}"],
  "no-cronjob": ["未导入：类型为 {0} 的对象不是 CronJob", "未匯入：類型為 {0} 的物件不是 CronJob"],
  "no-fields": ["未导入：不是五个字段加一条命令", "未匯入：不是五個欄位加一條命令"],
  "no-number": ["{0} 的值 {1} 不是整数：按 0 处理", "{0} 的值 {1} 不是整數：按 0 處理"],
  "no-zone-cluster": [
    "未指定时区，原先按集群时区触发：此处按 UTC；可指定其他时区",
    "未指定時區，原先按叢集時區觸發：此處按 UTC；可指定其他時區",
  ],
  "no-zone-machine": [
    "未指定时区，原先按所在机器的时区：此处按 UTC；可指定其他时区",
    "未指定時區，原先按所在機器的時區：此處按 UTC；可指定其他時區",
  ],
  "not-one-container": [
    "未导入：容器数不是恰好一个；请为每个容器创建一个任务",
    "未匯入：容器數不是恰好一個；請為每個容器建立一個任務",
  ],
  "password-unknown": [
    "未导入：其密码既非 MD5、SHA-256 也非 bcrypt；请用 orth user create {0} 创建",
    "未匯入：其密碼既非 MD5、SHA-256 也非 bcrypt；請用 orth user create {0} 建立",
  ],
  "permission-unknown": ["权限 {0} 不是已导入的执行器组：未导入", "權限 {0} 不是已匯入的執行器群組：未匯入"],
  "policy-unknown": ["未导入：未知的 concurrencyPolicy {0}", "未匯入：未知的 concurrencyPolicy {0}"],
  "python-two": [
    "GLUE_PYTHON 原先由 python 命令启动，此处由 python3 启动：请检查该任务及其他同类任务的脚本是否适用于 Python 3",
    "GLUE_PYTHON 原先由 python 命令啟動，此處由 python3 啟動：請檢查該任務及其他同類任務的指令碼是否適用於 Python 3",
  ],
  "ran-as": ["原先以 {0} 身份运行：此处以执行器的用户身份运行", "原先以 {0} 身分執行：此處以執行器的使用者身分執行"],
  "ran-as-root": [
    "原先以 root 身份运行：此处以执行器的用户身份运行",
    "原先以 root 身分執行：此處以執行器的使用者身分執行",
  ],
  "random-delay": ["RANDOM_DELAY 未导入：请为任务设置抖动", "RANDOM_DELAY 未匯入：請為任務設定抖動"],
  "references-kept": ["参数中的 $(NAME) 等引用在此处不会被替换：{0}", "參數中的 $(NAME) 等參照在此處不會被替換：{0}"],
  "schedule-unknown": ["调度类型 {0} 在此处未知：该任务没有调度", "排程類型 {0} 在此處未知：該任務沒有排程"],
  "started-there": [
    "对方系统中已启动的任务：{0} 个；此处新任务保持停止，直至启动或在导入时选择启动",
    "對方系統中已啟動的任務：{0} 個；此處新任務保持停止，直至啟動或在匯入時選擇啟動",
  ],
  suspended: ["在对方系统中已暂停：此处也保持停止", "在對方系統中已暫停：此處也保持停止"],
  "template-copied": [
    "super_task_id {0} 指向的任务本身取用其他任务的代码：此处保存了那份代码的副本",
    "super_task_id {0} 指向的任務本身取用其他任務的程式碼：此處保存了那份程式碼的副本",
  ],
  "template-left-out": ["未导入：它所运行代码的任务 {0} 未导入", "未匯入：它所執行程式碼的任務 {0} 未匯入"],
  "template-missing": [
    "它运行编号为 {0} 的任务的代码，而该任务不在导出内容中：此处使用导出内容中显示的代码",
    "它執行編號為 {0} 的任務的程式碼，而該任務不在匯出內容中：此處使用匯出內容中顯示的程式碼",
  ],
  "timeout-too-long": ["executor_timeout {0} 超过 30 天：不设超时", "executor_timeout {0} 超過 30 天：不設逾時"],
  "title-cut": ["标题已截短为 {0} 个字符", "標題已截短為 {0} 個字元"],
  "token-kept-back": [
    "access_token 未导入：请用 orth group token add {0} --stdin 交给该组",
    "access_token 未匯入：請用 orth group token add {0} --stdin 交給該群組",
  ],
  "too-many-children": [
    "child_jobid {0} 未导入：一个任务最多有 {1} 个子任务",
    "child_jobid {0} 未匯入：一個任務最多有 {1} 個子任務",
  ],
  "too-many-grants": ["权限 {0} 未导入：一个用户最多有 {1} 项授权", "權限 {0} 未匯入：一個使用者最多有 {1} 項授權"],
  "tz-no-zone": [
    "TZ 会传给命令，但不改变调度；改变调度的是 CRON_TZ",
    "TZ 會傳給命令，但不改變排程；改變排程的是 CRON_TZ",
  ],
  "user-variable": ["{0} 未导入：任务以执行器的用户身份运行", "{0} 未匯入：任務以執行器的使用者身分執行"],
  "variable-elsewhere": ["变量 {0} 未导入：其值来自别处；可改用密钥", "變數 {0} 未匯入：其值來自別處；可改用機密"],
  "variable-no-name": ["变量 {0} 未导入：不是 shell 可用的名称", "變數 {0} 未匯入：不是 shell 可用的名稱"],
  "version-unknown": [
    "未导入：未知的 CronJob 版本 {0}；可读取 batch/v1 与 batch/v1beta1",
    "未匯入：未知的 CronJob 版本 {0}；可讀取 batch/v1 與 batch/v1beta1",
  ],
  "versions-kept-back": [
    "脚本的旧版本留在对方系统（{0} 个）：任务历史自导入时开始",
    "指令碼的舊版本留在對方系統（{0} 個）：任務歷史自匯入時開始",
  ],
  "was-started": [
    "在对方系统中已启动，此处保持停止：请在执行器就绪后启动",
    "在對方系統中已啟動，此處保持停止：請在執行器就緒後啟動",
  ],
};

/** A finding in the language of the user; in the server's words when it has no code that is known here. */
export function findingIn(language: Language, finding: Pick<Finding, "code" | "args" | "text">): string {
  const pair = finding.code && findingWords[finding.code];
  if (language === "en" || !pair) return finding.text;
  return pair[language === "zh-CN" ? 0 : 1].replace(/\{(\d+)\}/g, (_, at) => finding.args?.[Number(at)] ?? "");
}
