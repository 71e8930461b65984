import { words } from "@/words";

/** Words of the greeting on an empty installation. */
export const welcomeWords = words("welcome", {
  title: ["Welcome to Orth", "欢迎使用 Orth", "歡迎使用 Orth"],
  text: ["There are no jobs yet. Three ways to start:", "还没有任务。三种开始方式：", "還沒有任務。三種開始方式："],
  sample: ["Try the samples", "试用示例", "試用範例"],
  sampleText: [
    "A server, an executor and a job for each kind of schedule, in one process and one folder.",
    "在一个进程和一个目录中运行服务器、执行器以及每种调度类型的示例任务。",
    "在一個程序和一個資料夾中執行伺服器、執行器以及每種排程類型的範例任務。",
  ],
  connect: ["Connect an executor", "连接执行器", "連接執行器"],
  connectText: [
    "The same program runs scripts on any machine, with the file executor.token from the server's data folder. Executors in Go, Java, Python and other languages connect too.",
    "同一程序可在任意机器上运行脚本，需要服务器数据目录中的 executor.token 文件。Go、Java、Python 等执行器也可接入。",
    "同一程式可在任意機器上執行指令碼，需要伺服器資料目錄中的 executor.token 檔案。Go、Java、Python 等執行器也可接入。",
  ],
  move: ["Migrate from XXL-JOB", "从 XXL-JOB 迁移", "從 XXL-JOB 遷移"],
  moveText: [
    "Import its database, then point the executors here with a token of this server. They register without changes.",
    "先导入其数据库，再将执行器的 admin 地址指向此服务器并使用此服务器的令牌：执行器无需修改即可注册。",
    "先匯入其資料庫，再將執行器的 admin 位址指向此伺服器並使用此伺服器的權杖：執行器無須修改即可註冊。",
  ],
  import: ["Import jobs and users", "导入任务与用户", "匯入任務與使用者"],
  newJob: ["New job", "新建任务", "新增任務"],
  tokens: ["Executors and tokens", "执行器与令牌", "執行器與權杖"],
});
