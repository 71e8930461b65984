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
  failed: ["The sign-in did not work", "登录未成功", "登入未成功"],
  denied: [
    "The provider said no, or it was called off there. Try again, and agree to it when you are asked.",
    "身份提供方拒绝了登录，或登录在那里被取消。请重试，并在提示时同意授权。",
    "身分提供者拒絕了登入，或登入在那裡被取消。請重試，並在提示時同意授權。",
  ],
  expired: [
    "It took too long, or was begun in another browser. Begin again from here.",
    "登录用时过长，或是在其他浏览器中开始的。请从这里重新开始。",
    "登入耗時過長，或是在其他瀏覽器中開始的。請從這裡重新開始。",
  ],
  not_allowed: [
    "The provider knows you, but this server lets your account not in: it is disabled, or in none of the groups that may come in. Ask an administrator.",
    "身份提供方已确认您的身份，但此服务器不允许您的账户进入：账户已停用，或不属于允许的群组。请联系管理员。",
    "身分提供者已確認您的身分，但此伺服器不允許您的帳戶進入：帳戶已停用，或不屬於允許的群組。請聯絡管理員。",
  ],
  provider: [
    "The provider could not be reached, or did not answer as it should. Try again in a while; the server's log has the details.",
    "无法连接身份提供方，或其响应有误。请稍后重试；详情见服务器日志。",
    "無法連線到身分提供者，或其回應有誤。請稍後重試；詳情見伺服器日誌。",
  ],
  failedOther: [
    "The sign-in with the provider failed. Try again; the server's log has the details.",
    "通过身份提供方登录失败。请重试；详情见服务器日志。",
    "透過身分提供者登入失敗。請重試；詳情見伺服器日誌。",
  ],
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
  old: ["Current password", "当前密码", "目前密碼"],
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
