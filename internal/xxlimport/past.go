package xxlimport

import (
	"cmp"
	"html"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// Result codes in the log of a Java server.
const (
	codeGood    = "200"
	codeTimeout = "502"
)

var (
	lineBreak = regexp.MustCompile(`(?i)<br\s*/?>`)
	tag       = regexp.MustCompile(`<[^<>]{0,200}>`)
)

// PastOf converts a log row to a finished run, and returns the id of its job. over is false
// when the run is not finished, or has no time.
func PastOf(r Row, zone *time.Location) (run api.PastRun, jobID int64, over bool) {
	sent, ok := SentOf(r, zone)
	if !ok || sent.ID <= 0 {
		return run, sent.JobID, false
	}
	code := func(column string) string { return cmp.Or(strings.TrimSpace(r[column]), "0") }
	run = api.PastRun{Number: sent.ID, StartedAt: api.At(sent.At), PlannedAt: api.At(sent.Slot), Executor: oneLine(r["executor_address"], 300)}
	ended := sent.At
	if at, err := Instant(r["handle_time"], zone); err == nil && at.After(sent.At) {
		ended = at
	}
	run.EndedAt = api.At(ended)
	message := r["handle_msg"]
	switch trigger, handle := code("trigger_code"), code("handle_code"); {
	case handle == codeGood:
		run.State = job.Succeeded
	case handle == codeTimeout:
		run.State = job.TimedOut
	case handle != "0":
		run.State = job.Failed
	case trigger != "0" && trigger != codeGood:
		run.State, message = job.Failed, r["trigger_msg"] // no executor accepted it
	default:
		return run, sent.JobID, false
	}
	run.Message = plainText(message)
	if index, total, split := strings.Cut(r["executor_sharding_param"], "/"); split {
		if n, err := strconv.Atoi(total); err == nil && n > 1 {
			run.Message = strings.TrimSpace("shard " + index + " of " + total + "\n" + run.Message)
		}
	}
	if param := strings.ToValidUTF8(r["executor_param"], ""); param != "" && len(param) <= job.MaxParam {
		run.Param = &param
	}
	return run, sent.JobID, true
}

// plainText converts an HTML text of the old console to lines.
func plainText(text string) string {
	text = lineBreak.ReplaceAllString(strings.ToValidUTF8(text, ""), "\n")
	return strings.TrimSpace(html.UnescapeString(tag.ReplaceAllString(text, "")))
}

func oneLine(text string, most int) string {
	runes := []rune(clean(text))
	return string(runes[:min(len(runes), most)])
}
