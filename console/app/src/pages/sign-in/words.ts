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
    "The initial admin password is in the file admin.password in the server's data folder.",
    "admin 的初始密码在服务器数据目录的 admin.password 文件中。",
    "admin 的初始密碼在伺服器資料目錄的 admin.password 檔案中。",
  ],
  wrong: ["Wrong user name or password", "用户名或密码错误", "使用者名稱或密碼錯誤"],
  wrongHelp: ["After several failed attempts, you have to wait.", "多次失败后需要等待。", "多次失敗後需要等待。"],
  failed: ["Sign-in failed", "登录失败", "登入失敗"],
  denied: [
    "The identity provider denied the sign-in, or it was cancelled there. Try again, and approve the request.",
    "身份提供方拒绝了登录，或登录在那里被取消。请重试，并在提示时同意授权。",
    "身分提供者拒絕了登入，或登入在那裡被取消。請重試，並在提示時同意授權。",
  ],
  expired: [
    "The sign-in took too long or was started in another browser. Start again here.",
    "登录用时过长，或是在其他浏览器中开始的。请从这里重新开始。",
    "登入耗時過長，或是在其他瀏覽器中開始的。請從這裡重新開始。",
  ],
  not_allowed: [
    "The identity provider knows you, but this server does not admit your account: it is disabled or in none of the allowed groups. Ask an administrator.",
    "身份提供方已确认您的身份，但此服务器不允许您的账户进入：账户已停用，或不属于允许的群组。请联系管理员。",
    "身分提供者已確認您的身分，但此伺服器不允許您的帳戶進入：帳戶已停用，或不屬於允許的群組。請聯絡管理員。",
  ],
  provider: [
    "The identity provider is unreachable or sent an invalid response. Try again later; see the server log for details.",
    "无法连接身份提供方，或其响应有误。请稍后重试；详情见服务器日志。",
    "無法連線到身分提供者，或其回應有誤。請稍後重試；詳情見伺服器日誌。",
  ],
  failedOther: [
    "Sign-in with the identity provider failed. Try again; see the server log for details.",
    "通过身份提供方登录失败。请重试；详情见服务器日志。",
    "透過身分提供者登入失敗。請重試；詳情見伺服器日誌。",
  ],
  noWay: [
    "This server has no browser sign-in. Use the command line: orth login.",
    "此服务器不支持浏览器登录。请使用命令行：orth login。",
    "此伺服器不支援瀏覽器登入。請使用命令列：orth login。",
  ],
  changeTitle: ["Choose a new password", "设置新密码", "設定新密碼"],
  changeText: ["The initial password can be used only once.", "初始密码仅可使用一次。", "初始密碼僅可使用一次。"],
  old: ["Current password", "当前密码", "目前密碼"],
  fresh: ["New password", "新密码", "新密碼"],
  freshHelp: [
    "10 to 128 characters, hard to guess.",
    "10 至 128 个字符，且不易被猜到。",
    "10 至 128 個字元，且不易被猜到。",
  ],
  again: ["Repeat new password", "再次输入新密码", "再次輸入新密碼"],
  differs: ["The passwords do not match", "两次输入不一致", "兩次輸入不一致"],
  tooShort: ["At least 10 characters", "至少需要 10 个字符", "至少需要 10 個字元"],
  missing: ["Required", "必填", "必填"],
  change: ["Change password", "更改密码", "變更密碼"],
  signOut: ["Sign out", "退出登录", "登出"],
});
