/**
 * What the server keeps in words as the reason of a run, of an attempt, of a node of a workflow or of a job that was
 * stopped: its English, and what that is in 简体中文 and 繁體中文. Names in braces stand for what changes; a part in
 * brackets may be missing. `reason`, `last` and `note` stand for a reason within a reason.
 */
export type Reason = readonly [english: string, hans: string, hant: string];

/** Why runs wait: no executor, no room, or others of the job before them. */
const waiting: readonly Reason[] = [
  ["no executor of group {group} is alive", "执行器组 {group} 没有在线的执行器", "執行器群組 {group} 沒有線上的執行器"],
  ["no executor of the group is alive", "该执行器组没有在线的执行器", "該執行器群組沒有線上的執行器"],
  [
    "no executor of group {group} that is alive has {labels}, which the job selects",
    "执行器组 {group} 中没有在线的执行器具有任务所选的 {labels}",
    "執行器群組 {group} 中沒有線上的執行器具有任務所選的 {labels}",
  ],
  [
    "address {executor} is not registered in group {group}, or this server cannot reach it",
    "地址 {executor} 未在执行器组 {group} 中注册，或此服务器无法访问它",
    "位址 {executor} 未在執行器群組 {group} 中註冊，或此伺服器無法存取它",
  ],
  [
    "addresses {executors} are not registered in group {group}, or this server cannot reach them",
    "地址 {executors} 未在执行器组 {group} 中注册，或此服务器无法访问它们",
    "位址 {executors} 未在執行器群組 {group} 中註冊，或此伺服器無法存取它們",
  ],
  [
    "executor {executor} is left alone until {until}: {calls} in a row {have} failed, the last one: {last}",
    "暂不向执行器 {executor} 派发，直到{until}：已连续 {calls}失败，最近一次：{last}",
    "暫不向執行器 {executor} 派送，直到{until}：已連續 {calls}失敗，最近一次：{last}",
  ],
  [
    "all {count} executors are left alone, {executor} too, until {until}: {calls} in a row {have} failed, the last one: {last}",
    "暂不向全部 {count} 个执行器派发，包括 {executor}，直到{until}：已连续 {calls}失败，最近一次：{last}",
    "暫不向全部 {count} 個執行器派送，包括 {executor}，直到{until}：已連續 {calls}失敗，最近一次：{last}",
  ],
  [
    "executor {executor} does not keep up: {tasks} {verb} for a turn",
    "执行器 {executor} 处理不过来：{tasks}正在排队",
    "執行器 {executor} 處理不過來：{tasks}正在排隊",
  ],
  [
    "group {group} has as many tasks on their way as it may, {count}",
    "执行器组 {group} 派发途中的任务已达上限（{count} 个）",
    "執行器群組 {group} 派送途中的任務已達上限（{count} 個）",
  ],
  [
    "many runs of group {group} wait until executor {executor} takes them",
    "执行器组 {group} 的许多运行在等待执行器 {executor} 接收",
    "執行器群組 {group} 的許多執行在等待執行器 {executor} 接收",
  ],
  [
    "many runs of group {group} wait until its executors answer",
    "执行器组 {group} 的许多运行在等待其执行器应答",
    "執行器群組 {group} 的許多執行在等待其執行器回應",
  ],
  ["no executor is idle: {notes}", "没有空闲的执行器：{notes}", "沒有閒置的執行器：{notes}"],
  ["no executor answers: {notes}", "没有执行器应答：{notes}", "沒有執行器回應：{notes}"],
  [
    "route busyover: this server has no way to ask executors whether they are idle",
    "路由“忙碌转移”：此服务器无法询问执行器是否空闲",
    "路由「忙碌轉移」：此伺服器無法詢問執行器是否閒置",
  ],
  [
    "route failover: this server has no way to ask executors whether they are there",
    "路由“故障转移”：此服务器无法询问执行器是否存活",
    "路由「故障轉移」：此伺服器無法詢問執行器是否存活",
  ],
  [
    "route busyover: ask {executor}: {last}",
    "路由“忙碌转移”：询问 {executor}：{last}",
    "路由「忙碌轉移」：詢問 {executor}：{last}",
  ],
  [
    "route failover: ask {executor}: {last}",
    "路由“故障转移”：询问 {executor}：{last}",
    "路由「故障轉移」：詢問 {executor}：{last}",
  ],
  [
    "starts at {at}, {delay} after it was asked for",
    "将于 {at} 开始，即触发之后 {delay}",
    "將於 {at} 開始，即觸發之後 {delay}",
  ],
  [
    "waits for run {run} of the same job ({overlap})",
    "等待同一任务的运行 {run}（{overlap}）",
    "等待同一任務的執行 {run}（{overlap}）",
  ],
  [
    "waits: {count} runs of this job are under way, run {run} among them, and no more may be ({overlap})",
    "等待：此任务有 {count} 次运行正在进行（其中有运行 {run}），已达上限（{overlap}）",
    "等待：此任務有 {count} 次執行正在進行（其中有執行 {run}），已達上限（{overlap}）",
  ],
  [
    "waits behind runs of the same job that came first ({overlap})",
    "排在同一任务先到的运行之后（{overlap}）",
    "排在同一任務先到的執行之後（{overlap}）",
  ],
  [
    "the run or its job was changed before the run was sent",
    "派发之前，该运行或其任务已被更改",
    "派送之前，該執行或其任務已被變更",
  ],
  ["the server that held the run stopped", "持有该运行的服务器已停止", "持有該執行的伺服器已停止"],
];

/** Why runs were given up before an executor had them. */
const givenUp: readonly Reason[] = [
  [
    "expired: waited {waited} and no executor took it[; the last reason: {last}]",
    "已过期：等待了 {waited}，没有执行器接收[；最近的原因：{last}]",
    "已過期：等待了 {waited}，沒有執行器接收[；最近的原因：{last}]",
  ],
  [
    "run {run} of this job is still running ({overlap})",
    "此任务的运行 {run} 仍在进行（{overlap}）",
    "此任務的執行 {run} 仍在進行（{overlap}）",
  ],
  ["covered by run {run}", "被运行 {run} 取代", "被執行 {run} 取代"],
  [
    "1 run of this job waits already, and no more may: raise overlap_queue to let more wait",
    "此任务已有 1 次运行在等待，已达上限：调大 overlap_queue 可让更多运行等待",
    "此任務已有 1 次執行在等待，已達上限：調大 overlap_queue 可讓更多執行等待",
  ],
  [
    "{count} runs of this job wait already, and no more may: raise overlap_queue to let more wait",
    "此任务已有 {count} 次运行在等待，已达上限：调大 overlap_queue 可让更多运行等待",
    "此任務已有 {count} 次執行在等待，已達上限：調大 overlap_queue 可讓更多執行等待",
  ],
  ["the job was deleted", "任务已被删除", "任務已被刪除"],
  ["the run does not exist: its job was deleted", "该运行不存在：其任务已被删除", "該執行不存在：其任務已被刪除"],
  ["the job was stopped: {reason}", "任务已停止：{reason}", "任務已停止：{reason}"],
  ["cancelled by a user", "由用户取消", "由使用者取消"],
  ["closed by a user", "由用户关闭", "由使用者關閉"],
  ["it was not sent any more", "未再派发", "未再派送"],
  [
    "the server was restored at {at} from a copy of {from}: it is not known whether {last}",
    "服务器于 {at} 从 {from} 的备份恢复：{last}",
    "伺服器於 {at} 從 {from} 的備份還原：{last}",
  ],
  ["the firing of {at} ran", "不清楚 {at} 的触发是否运行过", "不清楚 {at} 的觸發是否執行過"],
  [
    "the {number} firings from {from} to before {until} ran",
    "不清楚 {from} 至 {until} 之前的 {number} 次触发是否运行过",
    "不清楚 {from} 至 {until} 之前的 {number} 次觸發是否執行過",
  ],
  ["further slots of it ran", "不清楚其后的计划时间是否运行过", "不清楚其後的排定時間是否執行過"],
  ["further nodes of it ran", "不清楚其后的节点是否运行过", "不清楚其後的節點是否執行過"],
  ["this run went on", "不清楚此次运行是否继续过", "不清楚此次執行是否繼續過"],
];

/** What became of firings that were not on time. */
const firings: readonly Reason[] = [
  [
    "missed by {late}; misfire policy {policy}",
    "错过 {late}；错过触发策略：{policy}",
    "錯過 {late}；錯過觸發策略：{policy}",
  ],
  [
    "held by pause {pause}; misfire policy {policy}",
    "被暂停 {pause} 挂起；错过触发策略：{policy}",
    "被暫停 {pause} 擱置；錯過觸發策略：{policy}",
  ],
  [
    "the firing of {at} was {held}; misfire policy {policy} let it go[{rest}]",
    "{at} 的触发{held}；按错过触发策略“{policy}”放弃[{rest}]",
    "{at} 的觸發{held}；按錯過觸發策略「{policy}」放棄[{rest}]",
  ],
  [
    "{number} firings from {from} to {until} were {held}; misfire policy {policy} let them go[{rest}]",
    "{from} 至 {until} 的 {number} 次触发{held}；按错过触发策略“{policy}”放弃[{rest}]",
    "{from} 至 {until} 的 {number} 次觸發{held}；按錯過觸發策略「{policy}」放棄[{rest}]",
  ],
  ["missed", "已错过", "已錯過"],
  [": it makes up for those of the last {window}", "：只补最近 {window} 内的触发", "：只補最近 {window} 內的觸發"],
  [": it makes up for the newest only", "：只补最近的一次", "：只補最近的一次"],
  [": it makes up for the newest {count}", "：只补最近的 {count} 次", "：只補最近的 {count} 次"],
  ["held by pause {pause}", "被暂停 {pause} 挂起", "被暫停 {pause} 擱置"],
  [
    "calendar {calendar} does not allow the day[, {day}]",
    "日历 {calendar} 不允许这一天[（{day}）]",
    "行事曆 {calendar} 不允許這一天[（{day}）]",
  ],
  [
    "calendars do not allow the days of {number} firings from {from} to {until}",
    "日历不允许 {from} 至 {until} 的 {number} 次触发所在的日子",
    "行事曆不允許 {from} 至 {until} 的 {number} 次觸發所在的日子",
  ],
];

/** Why a job is started no more. */
const stopped: readonly Reason[] = [
  ["its schedule cannot be read: {detail}", "无法读取其调度：{detail}", "無法讀取其排程：{detail}"],
  ["its schedule has made its one run", "其调度已完成唯一的一次运行", "其排程已完成唯一的一次執行"],
  ["its schedule has made its {count} runs", "其调度已完成 {count} 次运行", "其排程已完成 {count} 次執行"],
  ["its schedule has no further firing", "其调度不再有触发", "其排程不再有觸發"],
  ["its definition cannot be read", "无法读取其定义", "無法讀取其定義"],
  [
    "stopped after a failed run: run {run} {end}",
    "在一次运行未成功后停止：运行 {run}，{end}",
    "在一次執行未成功後停止：執行 {run}，{end}",
  ],
  [
    "stopped after {count} failed runs in a row; the last one: run {run} {end}",
    "连续 {count} 次运行未成功后停止；最近一次：运行 {run}，{end}",
    "連續 {count} 次執行未成功後停止；最近一次：執行 {run}，{end}",
  ],
];

/** Why runs were made. */
const made: readonly Reason[] = [
  ["backfill {id}", "回填 {id}", "回填 {id}"],
  [
    "there {verb} {slots} instead of {count}: the job's schedule was changed after the backfill was made",
    "共 {slots}，而非 {count} 个：创建回填之后任务的调度被更改",
    "共 {slots}，而非 {count} 個：建立回填之後任務的排程被變更",
  ],
  [
    "workflow {workflow} run {id}, node {node}",
    "工作流 {workflow} 的运行 {id}，节点 {node}",
    "工作流程 {workflow} 的執行 {id}，節點 {node}",
  ],
  [
    "does the {count} failed shards of run {run} again",
    "重做运行 {run} 的 {count} 个失败分片",
    "重做執行 {run} 的 {count} 個失敗分片",
  ],
  ["does the failed shard of run {run} again", "重做运行 {run} 的失败分片", "重做執行 {run} 的失敗分片"],
  [
    "shard {shard} of run {run}, which run {before} did before",
    "运行 {run} 的分片 {shard}，此前由运行 {before} 执行",
    "執行 {run} 的分片 {shard}，此前由執行 {before} 執行",
  ],
  ["shard {index} of {total} of run {run}", "运行 {run} 的分片 {index}/{total}", "執行 {run} 的分片 {index}/{total}"],
  [
    "split into {shards} over {executors}",
    "拆分为 {shards}，分布在 {executors}上",
    "拆分為 {shards}，分佈在 {executors}上",
  ],
  ["in the place of run {run}, which {end}", "代替运行 {run}（{end}）", "代替執行 {run}（{end}）"],
  [
    "taken over from another scheduler: {source} {number}[, on {executor}]",
    "从其他调度系统导入：{source} {number}[，执行器 {executor}]",
    "從其他排程系統匯入：{source} {number}[，執行器 {executor}]",
  ],
  [
    "run {run} {end}[; it has the parameter of its own job, because the one made from that run would have more than {limit} bytes]",
    "运行 {run}：{end}[；沿用自身任务的参数，因为由该运行生成的参数会超过 {limit} 字节]",
    "執行 {run}：{end}[；沿用自身任務的參數，因為由該執行產生的參數會超過 {limit} 位元組]",
  ],
];

/** What became of attempts. */
const attempts: readonly Reason[] = [
  [
    "attempt {attempt} {end}; retry {number} of {tries} follows in {delay}[, as the handler asked][, on another executor when one is alive]",
    "第 {attempt} 次尝试{end}；{delay}后进行第 {number} 次重试，共 {tries} 次[（由处理器要求）][，若有其他在线的执行器则改用它]",
    "第 {attempt} 次嘗試{end}；{delay}後進行第 {number} 次重試，共 {tries} 次[（由處理器要求）][，若有其他線上的執行器則改用它]",
  ],
  [
    "attempt {attempt} ended without a message",
    "第 {attempt} 次尝试结束时没有消息",
    "第 {attempt} 次嘗試結束時沒有訊息",
  ],
  ["gave up after 1 retry", "重试 1 次后放弃", "重試 1 次後放棄"],
  ["gave up after {tries}", "重试 {tries}后放弃", "重試 {tries}後放棄"],
  [
    "not tried again although the handler was only not ready: the job allows no retries",
    "处理器只是尚未就绪，但未再尝试：任务不允许重试",
    "處理器只是尚未就緒，但未再嘗試：任務不允許重試",
  ],
  [
    "not tried again: the handler said that no further try can succeed",
    "未再尝试：处理器表示再试也不会成功",
    "未再嘗試：處理器表示再試也不會成功",
  ],
  [
    "not tried again: the job retries only after {ends}",
    "未再尝试：任务仅在{ends}后重试",
    "未再嘗試：任務僅在{ends}後重試",
  ],
  [
    "it succeeded before it could be stopped[: {reason}]",
    "在终止之前已成功[：{reason}]",
    "在終止之前已成功[：{reason}]",
  ],
  ["the deadline of {limit_for} has passed", "已超过 {limit_for}的期限", "已超過 {limit_for}的期限"],
  ["the task was not sent: {last}", "任务未能派发：{last}", "任務未能派送：{last}"],
  [
    "executor {executor} has been idle with the job for {for} and no result came: it restarted, or forgot the attempt",
    "执行器 {executor} 已有 {for}没有运行该任务，也没有结果：它重启过，或丢失了这次尝试",
    "執行器 {executor} 已有 {for}沒有執行該任務，也沒有結果：它重新啟動過，或遺失了這次嘗試",
  ],
  [
    "executor {executor} is gone: its lease has ended, it does not answer and no result came",
    "执行器 {executor} 已下线：租约已到期，没有应答，也没有结果",
    "執行器 {executor} 已離線：租約已到期，沒有回應，也沒有結果",
  ],
  [
    "executor {executor} has no lease and does not know the attempt any more",
    "执行器 {executor} 没有租约，也不再知道这次尝试",
    "執行器 {executor} 沒有租約，也不再知道這次嘗試",
  ],
  [
    "executor {executor} has had no lease for {for} and no result came",
    "执行器 {executor} 已有 {for}没有租约，也没有结果",
    "執行器 {executor} 已有 {for}沒有租約，也沒有結果",
  ],
  [
    "executor {executor} has nothing of the attempt any more and no result is here: a server took it and has lost it, or it could not be delivered; look into the executor's log",
    "执行器 {executor} 已没有这次尝试的任何内容，此处也没有结果：结果曾被某个服务器接收但已丢失，或未能送达；请查看执行器的日志",
    "執行器 {executor} 已沒有這次嘗試的任何內容，此處也沒有結果：結果曾被某個伺服器接收但已遺失，或未能送達；請查看執行器的日誌",
  ],
  [
    "executor {executor} restarted and does not know the attempt",
    "执行器 {executor} 重启过，不知道这次尝试",
    "執行器 {executor} 重新啟動過，不知道這次嘗試",
  ],
  [
    "executor {executor} was told to end it, and does not have it",
    "已通知执行器 {executor} 终止，但它那里没有这次尝试",
    "已通知執行器 {executor} 終止，但它那裡沒有這次嘗試",
  ],
  [
    "executor {executor} was told to end it; its report is awaited",
    "已通知执行器 {executor} 终止，正在等待其报告",
    "已通知執行器 {executor} 終止，正在等待其回報",
  ],
  [
    "executor {executor} could not be told to end it: {last}; it is told again until it answers, its lease ends or the run's deadline passes",
    "未能通知执行器 {executor} 终止：{last}；将继续通知，直到它应答、其租约到期或运行超过期限",
    "未能通知執行器 {executor} 終止：{last}；將繼續通知，直到它回應、其租約到期或執行超過期限",
  ],
  [
    "the executor was told to end it, and has not reported the end",
    "已通知执行器终止，但它未报告结束",
    "已通知執行器終止，但它未回報結束",
  ],
  [
    "run {run} of the same job is being ended on executor {executor}, which ends all that it has of the job, this run too",
    "正在执行器 {executor} 上终止同一任务的运行 {run}，它会终止该任务的全部运行，包括此次运行",
    "正在執行器 {executor} 上終止同一任務的執行 {run}，它會終止該任務的全部執行，包括此次執行",
  ],
  [
    "the executor answered tasks with nothing that can be understood for {for}, and does not have the attempt: look into its own log",
    "执行器在 {for}内的应答都无法理解，且没有这次尝试：请查看其自身的日志",
    "執行器在 {for}內的回應都無法理解，且沒有這次嘗試：請查看其自身的日誌",
  ],
  [
    "came at the moment when the attempt was recorded as {end}",
    "在这次尝试被记录为“{end}”的同时到达",
    "在這次嘗試被記錄為「{end}」的同時到達",
  ],
  [
    "came {late} after the attempt was recorded as {end}",
    "在这次尝试被记录为“{end}”{late}后到达",
    "在這次嘗試被記錄為「{end}」{late}後到達",
  ],
  [
    "came with a token of group {group}, whose attempt this is not, and changed nothing",
    "随执行器组 {group} 的令牌到达，而这次尝试不属于该组，因此未作任何改变",
    "隨執行器群組 {group} 的權杖到達，而這次嘗試不屬於該群組，因此未作任何改變",
  ],
];

/** What became of runs that were split. */
const shards: readonly Reason[] = [
  ["the only shard succeeded", "唯一的分片成功", "唯一的分片成功"],
  ["the only shard failed[: {failures}]", "唯一的分片失败[：{failures}]", "唯一的分片失敗[：{failures}]"],
  ["all {count} shards succeeded", "全部 {count} 个分片成功", "全部 {count} 個分片成功"],
  [
    "{count} of {total} shards failed[: {failures}]",
    "{total} 个分片中有 {count} 个失败[：{failures}]",
    "{total} 個分片中有 {count} 個失敗[：{failures}]",
  ],
  ["{count} of {shards} had succeeded", "{shards}中已有 {count} 个成功", "{shards}中已有 {count} 個成功"],
  [
    "{count} of {shards} failed; 'orth run retry-shards {run}' does those again",
    "{shards}中有 {count} 个失败；可重新运行失败的分片（orth run retry-shards {run}）",
    "{shards}中有 {count} 個失敗；可重新執行失敗的分片（orth run retry-shards {run}）",
  ],
  [
    "run {run}, which this is a shard of, is over already: its state is {end}",
    "此分片所属的运行 {run} 已经结束：{end}",
    "此分片所屬的執行 {run} 已經結束：{end}",
  ],
];

/** What became of nodes of workflows, and of workflows. */
const nodes: readonly Reason[] = [
  ["not reached: {nodes}", "未到达：{nodes}", "未到達：{nodes}"],
  ["node {node} has failed", "节点 {node} 失败", "節點 {node} 失敗"],
  ["nodes {names} have failed", "以下节点失败：{names}", "以下節點失敗：{names}"],
  ["run {run}: {end}[: {reason}]", "运行 {run}：{end}[：{reason}]", "執行 {run}：{end}[：{reason}]"],
];

/** What follows another reason: these match nearly all, and come last. */
const tails: readonly Reason[] = [
  [
    "{reason}; executor {executor} cannot end one attempt alone: it ends all that it has of the job, also run {runs}",
    "{reason}；执行器 {executor} 无法单独终止一次尝试：它会终止该任务的全部运行，包括运行 {runs}",
    "{reason}；執行器 {executor} 無法單獨終止一次嘗試：它會終止該任務的全部執行，包括執行 {runs}",
  ],
  ["{reason} (executor {executor})", "{reason}（执行器 {executor}）", "{reason}（執行器 {executor}）"],
  ["{executor} is busy with the job", "{executor} 正忙于该任务", "{executor} 正忙於該任務"],
  ["{executor} does not answer: {last}", "{executor} 没有应答：{last}", "{executor} 沒有回應：{last}"],
];

/** All of them, those that say more before those that say less. */
export const reasons: readonly Reason[] = [
  ...waiting,
  ...givenUp,
  ...firings,
  ...stopped,
  ...made,
  ...attempts,
  ...shards,
  ...nodes,
  ...tails,
];
