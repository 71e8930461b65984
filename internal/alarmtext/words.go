package alarmtext

import (
	"strings"

	"github.com/orthd/orth/alarm"
)

// words are the shipped templates' names of kinds and severities.
type words struct {
	kinds      map[alarm.Kind]string
	severities map[alarm.Severity]string
}

func wordsOf(language string) words {
	if language == alarm.Chinese {
		return words{
			kinds: map[alarm.Kind]string{
				alarm.KindFailed: "执行失败", alarm.KindTimedOut: "执行超时", alarm.KindLost: "执行器失联", alarm.KindStreak: "连续失败",
				alarm.KindRate: "失败率过高", alarm.KindSlow: "执行过慢", alarm.KindNotStarted: "未按时开始", alarm.KindMissed: "错过触发",
				alarm.KindBacklog: "任务积压", alarm.KindGroupDown: "没有可用的执行器", alarm.KindDeadLetter: "进入死信",
			},
			severities: map[alarm.Severity]string{alarm.Info: "提示", alarm.Warning: "警告", alarm.Critical: "严重"},
		}
	}
	return words{
		kinds: map[alarm.Kind]string{
			alarm.KindFailed: "failed", alarm.KindTimedOut: "timed out", alarm.KindLost: "was lost", alarm.KindStreak: "keeps failing",
			alarm.KindRate: "fails too often", alarm.KindSlow: "is slow", alarm.KindNotStarted: "has not started",
			alarm.KindMissed: "missed a firing", alarm.KindBacklog: "has a backlog", alarm.KindGroupDown: "has no executor",
			alarm.KindDeadLetter: "became a dead letter",
		},
		severities: map[alarm.Severity]string{alarm.Info: "info", alarm.Warning: "warning", alarm.Critical: "critical"},
	}
}

func (w words) kindName(k string) string {
	if text, known := w.kinds[alarm.Kind(k)]; known {
		return text
	}
	return k
}

func (w words) severity(s string) string {
	if text, known := w.severities[alarm.Severity(s)]; known {
		return text
	}
	return s
}

// oneLine joins the lines of a text and keeps all other blanks.
func oneLine(s string) string { return strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", " ") }
