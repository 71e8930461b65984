/**
 * What the server says of why, in 简体中文 and 繁體中文, by the code of the sentence. Names in braces stand for
 * values; a part in brackets is left out when a value within it is empty.
 */
export const sentences: Readonly<Record<string, readonly [hans: string, hant: string]>> = {
  addresses: ["只能派发到以下执行器：{executors}", "只能派送到以下執行器：{executors}"],
  attempt_accepted: ["执行器在 {wait}后接收了第 {attempt} 次尝试", "執行器在 {wait}後接收了第 {attempt} 次嘗試"],
  attempt_ended: [
    "第 {attempt} 次尝试历时 {lasted}，结果：{end}[（{reason}）]",
    "第 {attempt} 次嘗試歷時 {lasted}，結果：{end}[（{reason}）]",
  ],
  attempt_evidence: [
    "之后收到报告，称第 {attempt} 次尝试的结果为{end}，未改变任何状态[：{reason}]",
    "之後收到回報，稱第 {attempt} 次嘗試的結果為{end}，未改變任何狀態[：{reason}]",
  ],
  attempt_failed_unaccepted: [
    "第 {attempt} 次尝试失败[：{reason}]；没有执行器接收它的记录",
    "第 {attempt} 次嘗試失敗[：{reason}]；沒有執行器接收它的紀錄",
  ],
  attempt_running: ["第 {attempt} 次尝试正在 {executor} 上运行", "第 {attempt} 次嘗試正在 {executor} 上執行"],
  attempt_sent: ["第 {attempt} 次尝试已派发到 {executor}", "第 {attempt} 次嘗試已派送到 {executor}"],
  attempt_sent_late: [
    "第 {attempt} 次尝试在{what} {late}后派发到 {executor}",
    "第 {attempt} 次嘗試在{what} {late}後派送到 {executor}",
  ],
  attempt_unconfirmed: [
    "第 {attempt} 次尝试尚未得到 {executor} 的确认：服务器会继续询问，直到得知结果",
    "第 {attempt} 次嘗試尚未得到 {executor} 的確認：伺服器會繼續詢問，直到得知結果",
  ],
  attempt_undelivered: ["第 {attempt} 次尝试未能送达[：{reason}]", "第 {attempt} 次嘗試未能送達[：{reason}]"],
  attempts_left_out: ["此前的 {count} 次尝试从略", "此前的 {count} 次嘗試從略"],
  broadcast_running: [
    "任务 {job} 的运行 {id} 正在进行：{count} 个分片中 {open} 个未结束，{failed} 个失败。",
    "任務 {job} 的執行 {id} 正在進行：{count} 個分片中 {open} 個未結束，{failed} 個失敗。",
  ],
  broadcast_stopping: [
    "任务 {job} 的运行 {id} 正在被终止：{count} 个分片中 {open} 个未结束[：{why}]。",
    "任務 {job} 的執行 {id} 正在被終止：{count} 個分片中 {open} 個未結束[：{why}]。",
  ],
  calendar_changed: [
    "日历 {calendar} 已被更改；更改前的内容没有保留",
    "行事曆 {calendar} 已被更改；更改前的內容沒有保留",
  ],
  cause_api: ["由程序触发任务 {job} 而产生", "由程式觸發任務 {job} 而產生"],
  cause_backfill: [
    "由补数 {backfill} 产生，该补数补跑 {from} 至 {to} 的计划时间",
    "由補數 {backfill} 產生，該補數補跑 {from} 至 {to} 的排定時間",
  ],
  cause_backfill_gone: ["由补数 {backfill} 产生，该补数已不再保留", "由補數 {backfill} 產生，該補數已不再保留"],
  cause_manual: ["由用户触发任务 {job} 而产生", "由使用者觸發任務 {job} 而產生"],
  cause_misfire: [
    "由任务 {job} 的调度过期策略产生，用于补上错过或被暂停的触发",
    "由任務 {job} 的排程過期策略產生，用於補上錯過或被暫停的觸發",
  ],
  cause_other: ["触发原因：{cause}，编号 {parent}", "觸發原因：{cause}，編號 {parent}"],
  cause_parent: [
    "在任务 {parent_job} 的运行 {parent} 之后产生，该运行的结果：{parent_end}",
    "在任務 {parent_job} 的執行 {parent} 之後產生，該執行的結果：{parent_end}",
  ],
  cause_parent_gone: ["在运行 {parent} 之后产生，该运行已不再保留", "在執行 {parent} 之後產生，該執行已不再保留"],
  cause_parent_hidden: [
    "在运行 {parent} 之后产生，该运行属于您无权查看的任务",
    "在執行 {parent} 之後產生，該執行屬於您無權查看的任務",
  ],
  cause_redrive: [
    "由用户产生，用以代替运行 {parent}，该运行的结果：{parent_end}[（{reason}）]",
    "由使用者產生，用以代替執行 {parent}，該執行的結果：{parent_end}[（{reason}）]",
  ],
  cause_redrive_gone: [
    "由用户产生，用以代替运行 {parent}，该运行已不再保留",
    "由使用者產生，用以代替執行 {parent}，該執行已不再保留",
  ],
  cause_retry: ["为重做运行 {parent} 的工作而产生", "為重做執行 {parent} 的工作而產生"],
  cause_schedule: ["由任务 {job} 的调度产生：{sentence}", "由任務 {job} 的排程產生：{sentence}"],
  cause_schedule_changed: ["由任务 {job} 的调度产生", "由任務 {job} 的排程產生"],
  cause_shard: [
    "作为运行 {parent} 的分片 {shard} 产生（从 0 起编号）",
    "作為執行 {parent} 的分片 {shard} 產生（從 0 起編號）",
  ],
  cause_trial: [
    "由用户试运行任务 {job} 而产生：其结果不会引发任何后续操作",
    "由使用者試執行任務 {job} 而產生：其結果不會引發任何後續操作",
  ],
  cause_workflow: ["由工作流产生，作为任务 {job} 的一次运行", "由工作流程產生，作為任務 {job} 的一次執行"],
  changed_since: [
    "此后任务在 {changed} 被更改、启动或停止；当时的调度没有保留。",
    "此後任務在 {changed} 被更改、啟動或停止；當時的排程沒有保留。",
  ],
  children: ["它结束后可能启动另外 {count} 个任务", "它結束後可能啟動另外 {count} 個任務"],
  clock_back: [
    "{zone} 的时钟由 {from} 拨回 {to}；对出现两次的时间，调度的规则是{overlap}",
    "{zone} 的時鐘由 {from} 撥回 {to}；對出現兩次的時間，排程的規則是{overlap}",
  ],
  clock_back_straight: [
    "{zone} 的时钟由 {from} 拨回 {to}；对出现两次的时间，调度的规则是{overlap}；全天按固定节奏触发的表达式不受影响",
    "{zone} 的時鐘由 {from} 撥回 {to}；對出現兩次的時間，排程的規則是{overlap}；全天按固定節奏觸發的運算式不受影響",
  ],
  clock_forward: [
    "{zone} 的时钟由 {from} 拨快到 {to}；对被跳过的时间，调度的规则是{gap}",
    "{zone} 的時鐘由 {from} 撥快到 {to}；對被略過的時間，排程的規則是{gap}",
  ],
  clock_forward_straight: [
    "{zone} 的时钟由 {from} 拨快到 {to}；对被跳过的时间，调度的规则是{gap}；全天按固定节奏触发的表达式不受影响",
    "{zone} 的時鐘由 {from} 撥快到 {to}；對被略過的時間，排程的規則是{gap}；全天按固定節奏觸發的運算式不受影響",
  ],
  clock_twice: ["所问的时间在时钟上出现两次：此处，以及 {second}", "所問的時間在時鐘上出現兩次：此處，以及 {second}"],
  dead_letter: ["它是死信：可以产生一次新的运行来代替它", "它是死信：可以產生一次新的執行來代替它"],
  dead_letter_closed: ["其死信已关闭[：{reason}]", "其死信已關閉[：{reason}]"],
  dead_letter_redriven: ["它成为死信，已产生运行 {redriven} 来代替它", "它成為死信，已產生執行 {redriven} 來代替它"],
  ended: ["运行结束：{end}", "執行結束：{end}"],
  ended_reason: ["运行结束：{end}[（{reason}）]", "執行結束：{end}[（{reason}）]"],
  ended_reason_kept: ["运行结束：{end}；最后保留的原因[：{reason}]", "執行結束：{end}；最後保留的原因[：{reason}]"],
  executor_alive: ["执行器 {executor} 在线：{ago}前收到过它的消息", "執行器 {executor} 在線：{ago}前收到過它的訊息"],
  executor_gone: [
    "执行器 {executor} 是否在线未知：若它不再恢复，该次尝试将记为失联",
    "執行器 {executor} 是否在線未知：若它不再恢復，該次嘗試將記為失聯",
  ],
  executor_of_group: [
    "执行器组 {group} 现有 {count} 个执行器在线：{executors}",
    "執行器群組 {group} 現有 {count} 個執行器在線：{executors}",
  ],
  executors_of_group: [
    "执行器组 {group} 现有 {count} 个执行器在线：{executors}",
    "執行器群組 {group} 現有 {count} 個執行器在線：{executors}",
  ],
  expected: ["会（如果一切不变）：{time} 是其调度的计划时间。", "會（如果一切不變）：{time} 是其排程的排定時間。"],
  expected_no_executor: [
    "其执行器组 {group} 目前没有执行器在线；没有执行器时运行将等待。",
    "其執行器群組 {group} 目前沒有執行器在線；沒有執行器時執行將等待。",
  ],
  expires: ["届时仍没有执行器接收，则放弃", "屆時仍沒有執行器接收，則放棄"],
  fires: ["其当前的调度包含这一时刻", "其當前的排程包含這一時刻"],
  fires_not: ["其当前的调度不包含这一时刻", "其當前的排程不包含這一時刻"],
  firing_after: ["按当前的调度，其后最近的一次触发", "按當前的排程，其後最近的一次觸發"],
  firing_before: ["按当前的调度，其前最近的一次触发", "按當前的排程，其前最近的一次觸發"],
  held: ["暂停 {pause} 使任务暂停[至 {until}][（{reason}）]", "暫停 {pause} 使任務暫停[至 {until}][（{reason}）]"],
  job_changed: [
    "任务 {job} 已被更改；可用“orth job history”查看此前的内容",
    "任務 {job} 已被更改；可用「orth job history」查看此前的內容",
  ],
  job_changed_or_started: [
    "任务 {job} 最近一次被更改、启动或停止；可用“orth job history”查看此前的内容",
    "任務 {job} 最近一次被更改、啟動或停止；可用「orth job history」查看此前的內容",
  ],
  job_created: ["任务 {job} 被创建", "任務 {job} 被建立"],
  job_deleted: ["任务 {job} 此后已被删除", "任務 {job} 此後已被刪除"],
  job_held_next: [
    "任务 {job} 原应在 {next}（{wait}后）触发，但被暂停 {pause} 阻挡[至 {until}][（{pause_reason}）]。",
    "任務 {job} 原應在 {next}（{wait}後）觸發，但被暫停 {pause} 阻擋[至 {until}][（{pause_reason}）]。",
  ],
  job_held_now: [
    "任务 {job} 应在 {next} 触发，但被暂停 {pause} 阻挡[至 {until}][（{pause_reason}）]。",
    "任務 {job} 應在 {next} 觸發，但被暫停 {pause} 阻擋[至 {until}][（{pause_reason}）]。",
  ],
  job_manual: [
    "任务 {job} 不会自行触发：其调度为手动，仅在被触发时运行。",
    "任務 {job} 不會自行觸發：其排程為手動，僅在被觸發時執行。",
  ],
  job_next: ["任务 {job} 下次在 {next}（{wait}后）触发。", "任務 {job} 下次在 {next}（{wait}後）觸發。"],
  job_no_executor: [
    "其执行器组 {group} 没有执行器在线，因此其运行在等待。",
    "其執行器群組 {group} 沒有執行器在線，因此其執行在等待。",
  ],
  job_not_planned: [
    "任务 {job} 应在 {next}（{ago}前）触发，但还没有服务器为其排定：请查看调度器的日志。",
    "任務 {job} 應在 {next}（{ago}前）觸發，但還沒有伺服器為其排定：請查看排程器的日誌。",
  ],
  job_not_started: [
    "任务 {job} 不触发：它尚未启动，也还没有排定过任何运行。",
    "任務 {job} 不觸發：它尚未啟動，也還沒有排定過任何執行。",
  ],
  job_stopped: ["任务 {job} 不触发：它已停止。", "任務 {job} 不觸發：它已停止。"],
  job_stopped_by_itself: [
    "任务 {job} 不触发：它已自动停止[：{reason}]。",
    "任務 {job} 不觸發：它已自動停止[：{reason}]。",
  ],
  job_waits_for_the_end: [
    "任务 {job} 在等待其运行结束：结束 {delay}后再次触发。",
    "任務 {job} 在等待其執行結束：結束 {delay}後再次觸發。",
  ],
  jump_after: ["跳跃之后的触发是 {after}。", "跳躍之後的觸發是 {after}。"],
  jump_both: ["跳跃前后的触发是 {before} 和 {after}。", "跳躍前後的觸發是 {before} 和 {after}。"],
  jump_run: [
    "这次跳跃有对应的运行：计划时间为 {slot} 的运行 {run}，状态：{state}[（{reason}）]。",
    "這次跳躍有對應的執行：排定時間為 {slot} 的執行 {run}，狀態：{state}[（{reason}）]。",
  ],
  latest_slot: ["最近一个有运行或记录的计划时间", "最近一個有執行或紀錄的排定時間"],
  looked_at_again: ["最迟 {wait}后再次检查。", "最遲 {wait}後再次檢查。"],
  nearest_after: ["第一次是 {after}。", "第一次是 {after}。"],
  nearest_before: ["最后一次是 {before}。", "最後一次是 {before}。"],
  nearest_both: ["最近的是 {before} 和 {after}。", "最近的是 {before} 和 {after}。"],
  next_firing: ["下一次尚未排定的触发", "下一次尚未排定的觸發"],
  no_dropped: [
    "没有：日历 {calendar} 不允许这一天[（{occasion}）]。",
    "沒有：行事曆 {calendar} 不允許這一天[（{occasion}）]。",
  ],
  no_executor: ["执行器组 {group} 目前没有执行器在线", "執行器群組 {group} 目前沒有執行器在線"],
  no_fixed_delay: [
    "其调度为固定间隔：不论何时，在每次运行结束 {delay}后触发；没有保留该时间的运行。",
    "其排程為固定間隔：不論何時，在每次執行結束 {delay}後觸發；沒有保留該時間的執行。",
  ],
  no_job_then: ["没有：当时任务还不存在；它创建于 {created}。", "沒有：當時任務還不存在；它建立於 {created}。"],
  no_manual: [
    "没有：其调度为手动，不会自行触发，也没有保留该时间的运行。",
    "沒有：其排程為手動，不會自行觸發，也沒有保留該時間的執行。",
  ],
  no_merged: [
    "没有：日历 {calendar} 不允许这一天[（{occasion}）]；该计划时间已并入 {to} 的触发。",
    "沒有：行事曆 {calendar} 不允許這一天[（{occasion}）]；該排定時間已併入 {to} 的觸發。",
  ],
  no_no_slot: ["没有：{time} 不是其调度的计划时间。", "沒有：{time} 不是其排程的排定時間。"],
  no_record: ["没有保留这一时刻的运行", "沒有保留這一時刻的執行"],
  no_run_changed_since: [
    "没有保留该时间的运行。该时间是其当前调度的计划时间，但任务在 {changed} 被更改、启动或停止；此前是否已启动、当时的调度如何，都没有保留。任务停止期间本应触发的运行不会补上。",
    "沒有保留該時間的執行。該時間是其當前排程的排定時間，但任務在 {changed} 被更改、啟動或停止；此前是否已啟動、當時的排程如何，都沒有保留。任務停止期間本應觸發的執行不會補上。",
  ],
  no_run_none_before: [
    "没有保留该时间的运行，也没有更早的运行：旧的运行会被清理，因此无从得知当时是否有过。",
    "沒有保留該時間的執行，也沒有更早的執行：舊的執行會被清理，因此無從得知當時是否有過。",
  ],
  no_run_record_before: [
    "没有单独保留该时间的运行。其前的最后一条记录（{slot}）可能也代表了它[：{reason}]。",
    "沒有單獨保留該時間的執行。其前的最後一條紀錄（{slot}）可能也代表了它[：{reason}]。",
  ],
  no_run_unexplained: [
    "没有保留该时间的运行，尽管该时间是其当前调度的计划时间，且更早的运行仍有保留；现有记录无法说明原因。",
    "沒有保留該時間的執行，儘管該時間是其當前排程的排定時間，且更早的執行仍有保留；現有紀錄無法說明原因。",
  ],
  no_slot: ["它不对应任何计划时间", "它不對應任何排定時間"],
  no_stopped_by_itself: [
    "没有：任务在 {last} 的计划时间之后已自动停止[：{reason}]。",
    "沒有：任務在 {last} 的排定時間之後已自動停止[：{reason}]。",
  ],
  no_stopped_then: [
    "没有：该时间是其调度的计划时间，但任务当时和现在一样处于停止状态。",
    "沒有：該時間是其排程的排定時間，但任務當時和現在一樣處於停止狀態。",
  ],
  no_such_time: [
    "不存在 {time}：该时区的时钟由 {from} 跳到 {to}。",
    "不存在 {time}：該時區的時鐘由 {from} 跳到 {to}。",
  ],
  not_expected_held: [
    "按目前的情况届时不会：该时间是其调度的计划时间，但被暂停 {pause} 阻挡[至 {until}][（{pause_reason}）]。",
    "按目前的情況屆時不會：該時間是其排程的排定時間，但被暫停 {pause} 阻擋[至 {until}][（{pause_reason}）]。",
  ],
  not_expected_not_started: [
    "按目前的情况不会：该时间是其调度的计划时间，但任务尚未启动。",
    "按目前的情況不會：該時間是其排程的排定時間，但任務尚未啟動。",
  ],
  not_expected_spent: [
    "按目前的情况不会：其调度共产生 {count} 次运行，在此之前就会用完。",
    "按目前的情況不會：其排程共產生 {count} 次執行，在此之前就會用完。",
  ],
  not_expected_stopped_by_itself: [
    "按目前的情况不会：该时间是其调度的计划时间，但任务已自动停止[：{reason}]。",
    "按目前的情況不會：該時間是其排程的排定時間，但任務已自動停止[：{reason}]。",
  ],
  not_planned: [
    "尚未：还没有服务器排定该计划时间。第一个未排定的是 {next}（{ago}前）：请查看调度器的日志。",
    "尚未：還沒有伺服器排定該排定時間。第一個未排定的是 {next}（{ago}前）：請查看排程器的日誌。",
  ],
  not_started: ["它尚未启动", "它尚未啟動"],
  not_then_jittered: ["届时没有：任务的抖动把该计划时间移到了 {to}。", "屆時沒有：任務的抖動把該排定時間移到了 {to}。"],
  not_then_moved: [
    "届时没有：日历 {calendar} 不允许这一天[（{occasion}）]，因此该计划时间移到 {to}。",
    "屆時沒有：行事曆 {calendar} 不允許這一天[（{occasion}）]，因此該排定時間移到 {to}。",
  ],
  not_yet_held: [
    "尚未：被暂停 {pause} 阻挡[至 {until}][（{pause_reason}）]。暂停结束后，由调度过期策略（{policy}）决定如何处理被阻挡的触发。",
    "尚未：被暫停 {pause} 阻擋[至 {until}][（{pause_reason}）]。暫停結束後，由排程過期策略（{policy}）決定如何處理被阻擋的觸發。",
  ],
  noted: ["派发前记下的原因[：{reason}]", "派送前記下的原因[：{reason}]"],
  own_param: ["它使用自己的参数，而非任务的参数", "它使用自己的參數，而非任務的參數"],
  own_slot: ["其计划时间是 {slot}。", "其排定時間是 {slot}。"],
  reason_kept: ["最后保留的原因[：{reason}]。", "最後保留的原因[：{reason}]。"],
  recorded_ended: [
    "有，但运行 {run} 的结果：{end}[（{message}）]。",
    "有，但執行 {run} 的結果：{end}[（{message}）]。",
  ],
  recorded_ended_unsent: [
    "没有：运行 {run} 在派发前就已结束：{end}[（{reason}）]。",
    "沒有：執行 {run} 在派送前就已結束：{end}[（{reason}）]。",
  ],
  recorded_retrying: [
    "有，但运行 {run} 至今未成功；目前状态：{state}[（{reason}）]。",
    "有，但執行 {run} 至今未成功；目前狀態：{state}[（{reason}）]。",
  ],
  recorded_skipped: ["没有：运行 {run} 被跳过[：{reason}]。", "沒有：執行 {run} 被略過[：{reason}]。"],
  recorded_succeeded: [
    "有：运行 {run} 成功，在计划时间 {took}后结束。",
    "有：執行 {run} 成功，在排定時間 {took}後結束。",
  ],
  recorded_under_way: ["有：运行 {run} 目前状态：{state}。", "有：執行 {run} 目前狀態：{state}。"],
  recorded_waiting: [
    "尚未：运行 {run} 目前状态：{state}[（{reason}）]。",
    "尚未：執行 {run} 目前狀態：{state}[（{reason}）]。",
  ],
  run: [
    "运行 {run}（{cause}）[，计划时间 {slot}]：{state}[（{reason}）][；其消息：{message}]",
    "執行 {run}（{cause}）[，排定時間 {slot}]：{state}[（{reason}）][；其訊息：{message}]",
  ],
  run_ended: [
    "任务 {job} 的运行 {run} 经 {tries} 次尝试后的结果：{end}[（{message}）]。",
    "任務 {job} 的執行 {run} 經 {tries} 次嘗試後的結果：{end}[（{message}）]。",
  ],
  run_ended_unsent: [
    "任务 {job} 的运行 {run} 在派发前就已结束：{end}[（{reason}）]。",
    "任務 {job} 的執行 {run} 在派送前就已結束：{end}[（{reason}）]。",
  ],
  run_running: [
    "任务 {job} 的运行 {run} 正在进行：第 {attempt} 次尝试于 {for}前派发到 {executor}，并已被接收。",
    "任務 {job} 的執行 {run} 正在進行：第 {attempt} 次嘗試於 {for}前派送到 {executor}，並已被接收。",
  ],
  run_sent: [
    "任务 {job} 的运行 {run} 于 {for}前派发到 {executor}，是否送达尚不得知。",
    "任務 {job} 的執行 {run} 於 {for}前派送到 {executor}，是否送達尚不得知。",
  ],
  run_skipped: [
    "任务 {job} 的运行 {run} 在派发后被跳过[：{reason}]。",
    "任務 {job} 的執行 {run} 在派送後被略過[：{reason}]。",
  ],
  run_skipped_unsent: [
    "任务 {job} 的运行 {run} 被跳过，从未派发[：{reason}]。",
    "任務 {job} 的執行 {run} 被略過，從未派送[：{reason}]。",
  ],
  run_stopping: ["任务 {job} 的运行 {run} 正在被终止[：{why}]。", "任務 {job} 的執行 {run} 正在被終止[：{why}]。"],
  run_stopping_sent: [
    "它于 {for}前派发到 {executor}，待其确认后即告结束[：{message}]。",
    "它於 {for}前派送到 {executor}，待其確認後即告結束[：{message}]。",
  ],
  run_succeeded: [
    "任务 {job} 的运行 {run} 经 {tries} 次尝试成功，在{what} {late}后结束。",
    "任務 {job} 的執行 {run} 經 {tries} 次嘗試成功，在{what} {late}後結束。",
  ],
  run_under_way: ["任务 {job} 的运行 {run} 正在进行。", "任務 {job} 的執行 {run} 正在進行。"],
  run_waits: ["任务 {job} 的运行 {run} 在等待[：{reason}]。", "任務 {job} 的執行 {run} 在等待[：{reason}]。"],
  run_waits_for_a_server: [
    "任务 {job} 的运行 {run} 在等待：它已到期，但还没有服务器派发它；没有阻挡它的记录。",
    "任務 {job} 的執行 {run} 在等待：它已到期，但還沒有伺服器派送它；沒有阻擋它的紀錄。",
  ],
  run_waits_for_its_turn: [
    "任务 {job} 的运行 {run} 在等待：同一执行器组中，优先级更高的 {higher} 次运行和更早到期的 {earlier} 次运行排在它前面。",
    "任務 {job} 的執行 {run} 在等待：同一執行器群組中，優先順序更高的 {higher} 次執行和更早到期的 {earlier} 次執行排在它前面。",
  ],
  run_waits_for_an_executor: [
    "任务 {job} 的运行 {run} 在等待：执行器组 {group} 没有执行器在线。",
    "任務 {job} 的執行 {run} 在等待：執行器群組 {group} 沒有執行器在線。",
  ],
  run_waits_for_its_time: [
    "任务 {job} 的运行 {run} 在等待：还没有到它的时间。",
    "任務 {job} 的執行 {run} 在等待：還沒有到它的時間。",
  ],
  runs_wait: [
    "其最新的运行中有 {count} 个已到期并在等待；其中最早的是运行 {run}[：{reason}]。",
    "其最新的執行中有 {count} 個已到期並在等待；其中最早的是執行 {run}[：{reason}]。",
  ],
  runs_wait_for_a_server: [
    "其最新的运行中有 {count} 个已到期并在等待；其中最早的是运行 {run}：它已到期，但还没有服务器派发它；没有阻挡它的记录。",
    "其最新的執行中有 {count} 個已到期並在等待；其中最早的是執行 {run}：它已到期，但還沒有伺服器派送它；沒有阻擋它的紀錄。",
  ],
  runs_wait_for_their_turn: [
    "其最新的运行中有 {count} 个已到期并在等待；其中最早的是运行 {run}：同一执行器组中，优先级更高的 {higher} 次运行和更早到期的 {earlier} 次运行排在它前面。",
    "其最新的執行中有 {count} 個已到期並在等待；其中最早的是執行 {run}：同一執行器群組中，優先順序更高的 {higher} 次執行和更早到期的 {earlier} 次執行排在它前面。",
  ],
  runs_wait_for_an_executor: [
    "其最新的运行中有 {count} 个已到期并在等待；其中最早的是运行 {run}：执行器组 {group} 没有执行器在线。",
    "其最新的執行中有 {count} 個已到期並在等待；其中最早的是執行 {run}：執行器群組 {group} 沒有執行器在線。",
  ],
  schedule: ["其调度：{sentence}", "其排程：{sentence}"],
  schedule_count: ["其调度共产生 {count} 次运行，已产生 {fired} 次", "其排程共產生 {count} 次執行，已產生 {fired} 次"],
  schedule_ends: ["调度结束：从此不再触发", "排程結束：從此不再觸發"],
  schedule_starts: ["调度开始：此前不触发", "排程開始：此前不觸發"],
  schedule_unreadable: ["其调度无法读取：{reason}", "其排程無法讀取：{reason}"],
  shards_ended: ["最后一个分片历时 {lasted}后结束[：{reason}]", "最後一個分片歷時 {lasted}後結束[：{reason}]"],
  shards_open: [
    "{count} 个分片中 {open} 个未结束，{failed} 个失败",
    "{count} 個分片中 {open} 個未結束，{failed} 個失敗",
  ],
  slot: ["它对应的计划时间", "它對應的排定時間"],
  slot_dropped: [
    "日历 {calendar} 不允许这一天[（{occasion}）]：不触发",
    "行事曆 {calendar} 不允許這一天[（{occasion}）]：不觸發",
  ],
  slot_jittered: ["抖动把该计划时间推后 {by}，移到 {to}", "抖動把該排定時間推後 {by}，移到 {to}"],
  slot_merged: [
    "日历 {calendar} 不允许这一天[（{occasion}）]：该计划时间并入 {to} 的触发",
    "行事曆 {calendar} 不允許這一天[（{occasion}）]：該排定時間併入 {to} 的觸發",
  ],
  slot_moved: [
    "日历 {calendar} 不允许这一天[（{occasion}）]：该计划时间移到 {to}",
    "行事曆 {calendar} 不允許這一天[（{occasion}）]：該排定時間移到 {to}",
  ],
  split: [
    "它被分为 {count} 个分片：可用“orth run show {run}”查看各分片的情况",
    "它被分為 {count} 個分片：可用「orth run show {run}」查看各分片的情況",
  ],
  split_failed_again: [
    "以下是运行 {parent} 的 {total} 个分片中失败的分片；其余不再执行",
    "以下是執行 {parent} 的 {total} 個分片中失敗的分片；其餘不再執行",
  ],
  started: ["它已启动", "它已啟動"],
  stopped_by_itself: ["它已自动停止[：{reason}]", "它已自動停止[：{reason}]"],
  stopping: ["它正在被终止[：{why}]", "它正在被終止[：{why}]"],
  stopping_so_far: ["目前为止[：{message}]", "目前為止[：{message}]"],
  to_be_sent: ["它将在 {due}（{wait}后）派发。", "它將在 {due}（{wait}後）派送。"],
  unknown_unreadable: ["无法读取其调度，因此内容未知：{reason}。", "無法讀取其排程，因此內容未知：{reason}。"],
  waits: ["它在等待[：{reason}]", "它在等待[：{reason}]"],
  waits_for_a_server: [
    "它在等待：它已到期，但还没有服务器派发它；没有阻挡它的记录",
    "它在等待：它已到期，但還沒有伺服器派送它；沒有阻擋它的紀錄",
  ],
  waits_for_an_executor: ["它在等待：执行器组 {group} 没有执行器在线", "它在等待：執行器群組 {group} 沒有執行器在線"],
  waits_for_its_turn: [
    "它在等待：同一执行器组中，优先级更高的 {higher} 次运行和更早到期的 {earlier} 次运行排在它前面",
    "它在等待：同一執行器群組中，優先順序更高的 {higher} 次執行和更早到期的 {earlier} 次執行排在它前面",
  ],
  waits_for_its_time: ["它在等待：还没有到它的时间", "它在等待：還沒有到它的時間"],
  waits_looked_at_again: ["最迟 {wait}后再次检查", "最遲 {wait}後再次檢查"],
  waits_to_be_sent: ["届时派发，{wait}后", "屆時派送，{wait}後"],
};
