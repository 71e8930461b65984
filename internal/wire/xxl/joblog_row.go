package xxl

import (
	"html"
	"strconv"
	"time"

	"github.com/orthd/orth/internal/wire/jsontext"
)

// logInstant is how instants are told: with their offset, to the millisecond.
const logInstant = "2006-01-02T15:04:05.000-07:00"

// appendLogTable appends the answer of releases up to 3.2.
func appendLogTable(dst []byte, rows []LogRow, total int, zone *time.Location) []byte {
	dst = jsontext.AppendIntField(dst, `{"recordsTotal":`, int64(total))
	dst = jsontext.AppendIntField(dst, `,"recordsFiltered":`, int64(total))
	return append(appendLogRows(append(dst, `,"data":`...), rows, zone), '}')
}

// appendLogPaged appends the answer of releases from 3.3 on.
func appendLogPaged(dst []byte, rows []LogRow, total int, q *LogQuery, zone *time.Location) []byte {
	dst = jsontext.AppendIntField(dst, `{"code":200,"msg":"Success","data":{"offset":`, int64(q.Offset))
	dst = jsontext.AppendIntField(dst, `,"pagesize":`, int64(q.Limit))
	dst = jsontext.AppendIntField(dst, `,"total":`, int64(total))
	return append(appendLogRows(append(dst, `,"data":`...), rows, zone), `}}`...)
}

func appendLogRows(dst []byte, rows []LogRow, zone *time.Location) []byte {
	dst = append(dst, '[')
	for i := range rows {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendLogRow(dst, &rows[i], zone)
	}
	return append(dst, ']')
}

// appendLogRow appends a row. What it has no value for is null.
func appendLogRow(dst []byte, row *LogRow, zone *time.Location) []byte {
	a, r, j := &row.Attempt, &row.Run, &row.Job
	life := LifecycleOf(*a, row.Telling)
	param, shard, said := j.Param, "", ""
	if r.Param != nil {
		param = *r.Param
	}
	if !r.Shard.IsZero() {
		shard = strconv.Itoa(r.Shard.Index) + "/" + strconv.Itoa(r.Shard.Total)
	}
	ended := time.Time{}
	if life.Handle != codeNone {
		said, ended = a.Message, a.EndedAt
	}
	dst = jsontext.AppendIntField(dst, `{"id":`, a.ID)
	dst = jsontext.AppendIntField(dst, `,"jobGroup":`, r.GroupID)
	dst = jsontext.AppendIntField(dst, `,"jobId":`, a.JobID)
	dst = appendLogText(dst, `,"executorAddress":`, a.Address)
	dst = appendLogText(dst, `,"executorHandler":`, j.Handler.Name)
	dst = appendLogText(dst, `,"executorParam":`, param)
	dst = appendLogText(dst, `,"executorShardingParam":`, shard)
	dst = jsontext.AppendIntField(dst, `,"executorFailRetryCount":`, int64(max(j.Retry.Tries-max(a.Number-1, 0), 0)))
	dst = appendLogTime(dst, `,"triggerTime":`, a.TriggeredAt, zone)
	dst = jsontext.AppendIntField(dst, `,"triggerCode":`, int64(life.Trigger))
	dst = jsontext.AppendTextField(dst, `,"triggerMsg":`, triggerText(row, life, param))
	dst = appendLogTime(dst, `,"handleTime":`, ended, zone)
	dst = jsontext.AppendIntField(dst, `,"handleCode":`, int64(life.Handle))
	dst = appendLogText(dst, `,"handleMsg":`, said)
	return append(jsontext.AppendIntField(dst, `,"alarmStatus":`, int64(life.Alarm)), '}')
}

func appendLogText(dst []byte, key, value string) []byte {
	if value == "" {
		return append(append(dst, key...), jsontext.Null...)
	}
	return jsontext.AppendTextField(dst, key, value)
}

func appendLogTime(dst []byte, key string, at time.Time, zone *time.Location) []byte {
	if at.IsZero() {
		return append(append(dst, key...), jsontext.Null...)
	}
	return jsontext.AppendTextField(dst, key, at.In(zone).Format(logInstant))
}

// triggerText says how the attempt came to its executor: HTML, as the page shows it.
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
