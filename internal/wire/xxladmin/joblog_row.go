package xxladmin

import (
	"html"
	"strconv"
	"time"
)

// logRow is an attempt as the page of the log shows it. What it has no value for is null.
type logRow struct {
	ID       int64   `json:"id"`
	Group    int64   `json:"jobGroup"`
	Job      int64   `json:"jobId"`
	Address  *string `json:"executorAddress"`
	Handler  *string `json:"executorHandler"`
	Param    *string `json:"executorParam"`
	Shard    *string `json:"executorShardingParam"`
	Retries  int     `json:"executorFailRetryCount"`
	At       *string `json:"triggerTime"`
	Trigger  int     `json:"triggerCode"`
	Reason   string  `json:"triggerMsg"`
	EndedAt  *string `json:"handleTime"`
	Handle   int     `json:"handleCode"`
	Message  *string `json:"handleMsg"`
	Alarming int     `json:"alarmStatus"`
}

func logRowOf(row *LogRow, g generation) logRow {
	a, r, j := &row.Attempt, &row.Run, &row.Job
	life := LifecycleOf(*a, row.Telling)
	param, shard, message, ended := j.Param, "", "", time.Time{}
	if r.Param != nil {
		param = *r.Param
	}
	if !r.Shard.IsZero() {
		shard = strconv.Itoa(r.Shard.Index) + "/" + strconv.Itoa(r.Shard.Total)
	}
	if life.Handle != codeNone {
		message, ended = a.Message, a.EndedAt
	}
	return logRow{
		ID: a.ID, Group: r.GroupID, Job: a.JobID, Address: orNull(a.Address), Handler: orNull(j.Handler.Name), Param: orNull(param), Shard: orNull(shard),
		Retries: max(j.Retry.Tries-max(a.Number-1, 0), 0), At: g.stamp(a.TriggeredAt), Trigger: life.Trigger,
		Reason: triggerText(row, life, param), EndedAt: g.stamp(ended), Handle: life.Handle, Message: orNull(message), Alarming: life.Alarm,
	}
}

// orNull returns a text, nil for an empty one.
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// triggerText describes how the attempt reached its executor: HTML, as the page shows it.
func triggerText(row *LogRow, life Lifecycle, param string) string {
	text := "Executor Address：" + html.EscapeString(row.Attempt.Address)
	if name := row.Job.Handler.Name; name != "" {
		text += "<br>JobHandler：" + html.EscapeString(name)
	}
	if param != "" {
		text += "<br>Param：" + html.EscapeString(param)
	}
	switch life.Trigger {
	case codeSuccess:
		text += "<br>Trigger Msg：success"
	case codeFailure:
		text += "<br>Trigger Msg：fail, " + html.EscapeString(row.Attempt.Message)
	}
	return text
}
