package dialect

import "strings"

// Ends are the texts in the outcomes of runs that ended before their time. No server
// compares them, but people's alert rules and searches do.
type Ends struct {
	Killed  string // the reason when a server ends the job
	Stopped string // the reason when the executor stops
	Covered string // the reason when the overlap ends the run for another
	Running string // follows the reason, of a run that had begun
	Waiting string // follows the reason, of one that had not
	Timeout string // the whole message
	// Exit begins the message of a program that failed, with its exit value. What the
	// program wrote about it may follow, after a colon.
	Exit Phrase
}

// ownExit begins the message of a program that failed, as this module's executors
// report it. Its exit value follows.
const ownExit = "exit status "

// ClassicEnds are those of [Classic], and but for Exit of what this module's executors
// report.
func ClassicEnds() Ends {
	return Ends{
		Killed:  textKillReason,
		Stopped: "web container destroy and kill the job.",
		Covered: "block strategy effect：Cover Early",
		Running: " [job running, killed]",
		Waiting: " [job not executed, in the job queue, killed.]",
		Timeout: "job execute timeout ",
		Exit:    Phrase{"script exit value(", ") is failed"},
	}
}

// Message returns the message of an outcome in the words of e. A message that this
// module's executors do not write themselves stays as it is.
func (e *Ends) Message(text string) string {
	own := ClassicEnds()
	if text == own.Timeout {
		return e.Timeout
	}
	if value, why, ok := exitOf(text); ok {
		return e.Exit.With(value) + why
	}
	if reason, ok := strings.CutSuffix(text, own.Running); ok {
		return e.reason(&own, reason) + e.Running
	}
	if reason, ok := strings.CutSuffix(text, own.Waiting); ok {
		return e.reason(&own, reason) + e.Waiting
	}
	return text
}

// exitOf returns the exit value in a message of a program that failed, and what
// follows it: nothing, or a colon with the reason.
func exitOf(text string) (value, why string, ok bool) {
	rest, ok := strings.CutPrefix(text, ownExit)
	if !ok {
		return "", "", false
	}
	digits := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if digits < 0 {
		digits = len(rest)
	}
	value, why = rest[:digits], rest[digits:]
	return value, why, value != "" && (why == "" || strings.HasPrefix(why, ": "))
}

func (e *Ends) reason(own *Ends, text string) string {
	switch text {
	case own.Killed:
		return e.Killed
	case own.Stopped:
		return e.Stopped
	case own.Covered:
		return e.Covered
	}
	return text
}
