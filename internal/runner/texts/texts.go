// Package texts has what a runner writes into outcomes and run logs.
//
// It has constants only.
package texts

// The texts of this file reach servers as the messages of outcomes. Servers,
// alarm rules and people's searches of other systems match them, so they are
// fixed, blanks included.
const (
	// TimeoutText ends in a blank.
	TimeoutText = "job execute timeout "
	// StopReason is why a run ends when the executor stops.
	StopReason = "web container destroy and kill the job."
	// RunningKilled and QueuedKilled follow a reason.
	RunningKilled = " [job running, killed]"
	QueuedKilled  = " [job not executed, in the job queue, killed.]"
	// CoverReason has the full-width colon of the old executors, in which consoles show it.
	CoverReason = "block strategy effect：Cover Early"
)

// The texts of outcomes that only this executor has.
const (
	InterruptedText = "executor stopped during the run"
	PerhapsText     = "executor stopped, and its queue was damaged: the task may have run"
	BuriedText      = "executor stopped during the run %d times, not run again"
	UnreadableText  = "the task kept on this executor's disk cannot be read: %v"
	DamagedText     = "the task kept on this executor's disk was damaged"
	MarkText        = "the start of the task cannot be noted on this executor's disk: %v"
	StillText       = " (the handler ignores it: still running, cannot be stopped)"
	ReturnReason    = "the executor stops and hands its waiting tasks back"
	LogText         = "the run log cannot be written: %v"
	EmptyErrorText  = "the handler returned an error without a text"
	ExitText        = "the handler ended its goroutine without returning"
	NotStartedNote  = "executor stopped before the start"
)

// The lines that the runner writes to a run log. Old consoles show them as HTML:
// the <br> keeps each on a line of its own there.
const (
	StartLine     = "<br>----------- orth job execute start -----------<br>----------- Param:%s"
	TimeoutLine   = "<br>----------- orth job execute timeout"
	StoppedLine   = "<br>----------- orth job stopped, reason:%s"
	ExceptionLine = "<br>----------- orth job exception:%s"
	StuckLine     = "<br>----------- the handler still runs %s after it was cancelled; it cannot be stopped, is no longer waited for and keeps its place"
	FinishLine    = "<br>----------- orth job execute end(finish) -----------<br>----------- Result: %s, message: %s"
	ErrorLine     = "<br>----------- orth job execute end(error) -----------<br>----------- Result: %s, message: %s"
	CrashedLine   = "<br>----------- " + InterruptedText
)
