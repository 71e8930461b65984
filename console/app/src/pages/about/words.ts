import { words } from "@/words";

/** Words of the page about the program. */
export const aboutWords = words("about", {
  title: ["About Orth", "关于 Orth", "關於 Orth"],
  text: [
    "A distributed job scheduler in one binary: server, executor, command line and this console.",
    "分布式任务调度系统，一个程序即包含服务器、执行器、命令行和本控制台。",
    "分散式任務排程系統，一個程式即包含伺服器、執行器、命令列和本主控台。",
  ],
  program: ["Program", "程序", "程式"],
  version: ["Version", "版本", "版本"],
  licence: ["Licence", "许可证", "授權條款"],
  console: ["Console", "控制台", "主控台"],
  consoleMode: ["built into the server", "内置于服务器", "內建於伺服器"],
  servers: ["Servers", "服务器", "伺服器"],
  otherVersions: ["The servers run different versions.", "各服务器运行的版本不一致。", "各伺服器執行的版本不一致。"],
  read: ["Documentation", "文档", "文件"],
  api: ["API reference", "API 文档", "API 文件"],
  openapi: ["OpenAPI document", "OpenAPI 文档", "OpenAPI 文件"],
  source: ["Source code and documentation", "源代码与文档", "原始碼與文件"],
  notices: ["Third-party software", "第三方软件", "第三方軟體"],
  noticesText: [
    "Third-party packages in this console and their licences.",
    "本控制台使用的第三方软件包及其许可证。",
    "本主控台使用的第三方套件及其授權條款。",
  ],
  name: ["Name", "名称", "名稱"],
  noNotices: [
    "Only a console built into a server has this list.",
    "仅内置于服务器的控制台提供此列表。",
    "僅內建於伺服器的主控台提供此清單。",
  ],
  showText: ["Licence of {{name}}", "{{name}} 的许可证", "{{name}} 的授權條款"],
});
