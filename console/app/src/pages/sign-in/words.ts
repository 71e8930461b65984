import { words } from "@/words";

/** Words of the sign-in page. */
export const signInWords = words("sign-in", {
  title: ["Sign in", "登录", "登入"],
  user: ["User", "用户名", "使用者名稱"],
  password: ["Password", "密码", "密碼"],
  submit: ["Sign in", "登录", "登入"],
  with: ["Sign in with {{provider}}", "使用 {{provider}} 登录", "使用 {{provider}} 登入"],
  or: ["or", "或", "或"],
  first: [
    "The first password of admin stands in the file admin.password in the server's data folder.",
    "admin 的初始密码在服务器数据目录的 admin.password 文件中。",
    "admin 的初始密碼在伺服器資料目錄的 admin.password 檔案中。",
  ],
  wrong: ["Name or password is wrong", "用户名或密码错误", "使用者名稱或密碼錯誤"],
  wrongHelp: ["After several tries a name has to wait.", "多次失败后需要等待。", "多次失敗後需要等待。"],
  noWay: [
    "Nobody can sign in to this server with a browser. Use the command line: orth login.",
    "此服务器不支持浏览器登录。请使用命令行：orth login。",
    "此伺服器不支援瀏覽器登入。請使用命令列：orth login。",
  ],
  changeTitle: ["Choose a new password", "设置新密码", "設定新密碼"],
  changeText: [
    "The password that you were given counts only once.",
    "初始密码仅可使用一次。",
    "初始密碼僅可使用一次。",
  ],
  old: ["Password so far", "当前密码", "目前密碼"],
  fresh: ["New password", "新密码", "新密碼"],
  freshHelp: [
    "10 to 128 characters that are not easily guessed.",
    "10 至 128 个字符，且不易被猜到。",
    "10 至 128 個字元，且不易被猜到。",
  ],
  again: ["New password again", "再次输入新密码", "再次輸入新密碼"],
  differs: ["It differs from the new password", "两次输入不一致", "兩次輸入不一致"],
  tooShort: ["It needs 10 characters or more", "至少需要 10 个字符", "至少需要 10 個字元"],
  missing: ["It is missing", "不能为空", "不可為空"],
  change: ["Change password", "更改密码", "變更密碼"],
  signOut: ["Sign out", "退出登录", "登出"],
});
