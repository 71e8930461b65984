import { type Triple, words } from "@/words";

/**
 * What the fields of channels mean, by kind and name. In English the server says it; its words stand here for those
 * who read the table.
 */
const entries = {
  webhook_url: [
    "where requests go, as https://host/path",
    "请求发送的地址，例如 https://host/path",
    "請求傳送的位址，例如 https://host/path",
  ],
  webhook_secret: [
    "the key of the header Orth-Signature; without it requests are not signed",
    "请求头 Orth-Signature 的签名密钥；不填则不签名",
    "請求標頭 Orth-Signature 的簽章金鑰；不填則不簽章",
  ],
  webhook_headers: [
    "further headers, one line each, as Authorization: Bearer …",
    "其他请求头，每行一个，例如 Authorization: Bearer …",
    "其他請求標頭，每行一個，例如 Authorization: Bearer …",
  ],
  webhook_method: ["POST, PUT or PATCH", "POST、PUT 或 PATCH", "POST、PUT 或 PATCH"],
  webhook_content_type: ["what the body is", "请求体的类型", "請求內文的類型"],
  webhook_body: [
    "the template of the body; empty means the standard JSON",
    "请求体模板；留空则为标准 JSON",
    "請求內文範本；留空則為標準 JSON",
  ],
  pagerduty_routing_key: [
    "the integration key of the service",
    "服务的集成密钥（Integration Key）",
    "服務的整合金鑰（Integration Key）",
  ],
  pagerduty_url: [
    "where events go; https://events.eu.pagerduty.com/v2/enqueue for accounts in the EU, or that of another service",
    "事件发送的地址；欧盟账户为 https://events.eu.pagerduty.com/v2/enqueue，也可填其他服务的地址",
    "事件傳送的位址；歐盟帳戶為 https://events.eu.pagerduty.com/v2/enqueue，也可填其他服務的位址",
  ],
  pagerduty_source: ["what the events name as their source", "事件中标明的来源", "事件中標明的來源"],
  feishu_url: [
    "the robot's address, as https://open.feishu.cn/open-apis/bot/v2/hook/… or the same at open.larksuite.com",
    "机器人地址，例如 https://open.feishu.cn/open-apis/bot/v2/hook/…，或 open.larksuite.com 下的同类地址",
    "機器人位址，例如 https://open.feishu.cn/open-apis/bot/v2/hook/…，或 open.larksuite.com 下的同類位址",
  ],
  feishu_secret: [
    "the robot's key for signatures; empty when it asks for none",
    "机器人的签名校验密钥；未启用则留空",
    "機器人的簽章校驗金鑰；未啟用則留空",
  ],
  dingtalk_url: [
    "the robot's address, as https://oapi.dingtalk.com/robot/send?access_token=…",
    "机器人地址，例如 https://oapi.dingtalk.com/robot/send?access_token=…",
    "機器人位址，例如 https://oapi.dingtalk.com/robot/send?access_token=…",
  ],
  dingtalk_secret: [
    "the robot's key for signatures, which begins with SEC; empty when it asks for none",
    "机器人的加签密钥，以 SEC 开头；未启用则留空",
    "機器人的加簽金鑰，以 SEC 開頭；未啟用則留空",
  ],
  dingtalk_mobiles: [
    "telephone numbers of members to be called by name, with commas between them",
    "要 @ 的成员手机号，用逗号分隔",
    "要 @ 的成員手機號碼，以逗號分隔",
  ],
  wecom_url: [
    "the robot's address, as https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=…",
    "机器人地址，例如 https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=…",
    "機器人位址，例如 https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=…",
  ],
  wecom_users: [
    "ids of members to be called by name, with commas between them",
    "要 @ 的成员 ID，用逗号分隔",
    "要 @ 的成員 ID，以逗號分隔",
  ],
  email_host: ["the name of the mail server", "邮件服务器的主机名", "郵件伺服器的主機名稱"],
  email_port: [
    "its port; 587 unless tls says otherwise: 465 for tls, 25 for none",
    "端口；默认 587，tls 为 465，none 为 25",
    "連接埠；預設 587，tls 為 465，none 為 25",
  ],
  email_tls: [
    "starttls, tls from the first byte, or none",
    "starttls、tls（从首字节起加密）或 none（不加密）",
    "starttls、tls（從首位元組起加密）或 none（不加密）",
  ],
  email_auth: [
    "none, plain, login or cram; plain when there is a user",
    "none、plain、login 或 cram；填写用户名时默认为 plain",
    "none、plain、login 或 cram；填寫使用者時預設為 plain",
  ],
  email_user: ["who signs in", "登录用户名", "登入使用者名稱"],
  email_password: ["the user's password", "该用户的密码", "該使用者的密碼"],
  email_from: [
    "the sender, as Orth <orth@example.com>",
    "发件人，例如 Orth <orth@example.com>",
    "寄件者，例如 Orth <orth@example.com>",
  ],
  email_to: [
    "who gets the mails, up to 16 addresses with commas between them",
    "收件人，最多 16 个地址，用逗号分隔",
    "收件者，最多 16 個位址，以逗號分隔",
  ],
  email_helo: [
    "the name by which Orth introduces itself; that of its machine when empty",
    "Orth 在 HELO 中使用的名称；留空则为本机名称",
    "Orth 在 HELO 中使用的名稱；留空則為本機名稱",
  ],
  email_ca: [
    "PEM certificates of the authority that the mail server's certificate comes from; those of the machine when empty",
    "签发邮件服务器证书的 CA 的 PEM 证书；留空则使用本机信任的证书",
    "簽發郵件伺服器憑證的 CA 的 PEM 憑證；留空則使用本機信任的憑證",
  ],
  slack_url: [
    "the address of the webhook, as https://hooks.slack.com/services/…",
    "Webhook 地址，例如 https://hooks.slack.com/services/…",
    "Webhook 位址，例如 https://hooks.slack.com/services/…",
  ],
  slack_mention: [
    "whom to call by name: here, channel, or ids as U012AB3CD of a user and S012AB3CD of a group, with commas between them",
    "要提及的对象：here、channel，或用户 ID（如 U012AB3CD）与用户组 ID（如 S012AB3CD），用逗号分隔",
    "要提及的對象：here、channel，或使用者 ID（如 U012AB3CD）與群組 ID（如 S012AB3CD），以逗號分隔",
  ],
} satisfies Record<string, Triple>;

export const fieldDocWords = words("channelFields", entries);

/** The help of a field in the language of the user, or the server's text if there is no translation. */
export function fieldDoc(
  say: (key: keyof typeof entries) => string,
  kind: string,
  field: { name: string; doc?: string },
): string | undefined {
  const key = `${kind}_${field.name}` as keyof typeof entries;
  // If the server's English text differs, its meaning has changed and the translation is outdated.
  const doc = key in entries && entries[key][0] === field.doc ? say(key) : field.doc;
  return doc && doc.charAt(0).toUpperCase() + doc.slice(1);
}
