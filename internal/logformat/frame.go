package logformat

import "strings"

// Executors of the XXL-JOB family frame a run with lines of dashes, and with the
// mark-up that the pages of their servers took for line breaks:
//
//	<br>----------- job execute start -----------<br>----------- Param:x
const (
	frameBreak = "<br>"
	frameRule  = "---------"
)

// Unframe leaves the mark-up of frames out: a break behind dashes becomes a space, one
// before dashes nothing. All else stays, and so do other breaks, which a task wrote.
func Unframe(text string) string {
	if !strings.Contains(text, frameBreak) {
		return text
	}
	var out strings.Builder
	out.Grow(len(text))
	for {
		before, after, found := strings.Cut(text, frameBreak)
		out.WriteString(before)
		switch {
		case !found:
			return out.String()
		case strings.HasSuffix(before, frameRule):
			out.WriteByte(' ')
		case strings.HasPrefix(after, frameRule):
		default:
			out.WriteString(frameBreak)
		}
		text = after
	}
}
