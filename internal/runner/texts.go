package runner

// The texts of this file reach servers as the messages of outcomes. Servers,
// alarm rules and people's searches of other systems match them, so they are
// fixed, blanks included.
const (
	// timeoutText ends in a blank.
	timeoutText = "job execute timeout "
	// stopReason is why a run ends when the executor stops.
	stopReason = "web container destroy and kill the job."
	// runningKilled and queuedKilled follow a reason.
	runningKilled = " [job running, killed]"
	queuedKilled  = " [job not executed, in the job queue, killed.]"
	// discardText and coverReason have the full-width colon of the old
	// executors, in which consoles show them.
	discardText = "block strategy effect：Discard Later"
	coverReason = "block strategy effect：Cover Early"
)

// The texts of outcomes that only this executor has.
const (
	interruptedText = "executor stopped during the run"
	perhapsText     = "executor stopped, and its queue was damaged: the task may have run"
	buriedText      = "executor stopped during the run %d times, not run again"
	unreadableText  = "the task kept on this executor's disk cannot be read: %v"
	damagedText     = "the task kept on this executor's disk was damaged"
	markText        = "the start of the task cannot be noted on this executor's disk: %v"
	stillText       = " (the handler ignores it: still running, cannot be stopped)"
	returnReason    = "the executor stops and hands its waiting tasks back"
	logText         = "the run log cannot be written: %v"
	emptyErrorText  = "the handler returned an error without a text"
	exitText        = "the handler ended its goroutine without returning"
	notStartedNote  = "executor stopped before the start"
)

// The lines that the runner writes to a run log. Old consoles show them as HTML:
// the <br> keeps each on a line of its own there.
const (
	startLine     = "<br>----------- orth job execute start -----------<br>----------- Param:%s"
	timeoutLine   = "<br>----------- orth job execute timeout"
	stoppedLine   = "<br>----------- orth job stopped, reason:%s"
	exceptionLine = "<br>----------- orth job exception:%s"
	stuckLine     = "<br>----------- the handler still runs %s after it was cancelled; it cannot be stopped, is no longer waited for and keeps its place"
	finishLine    = "<br>----------- orth job execute end(finish) -----------<br>----------- Result: %s, message: %s"
	errorLine     = "<br>----------- orth job execute end(error) -----------<br>----------- Result: %s, message: %s"
	crashedLine   = "<br>----------- " + interruptedText
)
