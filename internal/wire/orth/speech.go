// Package orth holds the words of the Java fork of XXL-JOB that has Orth's name.
//
// It knows the names and the texts in which the fork differs, and those alone: all
// else is package xxl's, and so is everything that is done with them. It must never
// know a request, a room or how a dialect is found out. Nothing comes in; one value
// goes out.
package orth

import (
	"github.com/orthd/orth/internal/wire/xxl"
	"github.com/orthd/orth/job"
)

// Speech returns [job.DialectOrthJava].
func Speech() xxl.Speech {
	return xxl.Speech{
		Dialect:      job.DialectOrthJava,
		Context:      "/orth-admin",
		RunPath:      "/run",
		TokenHeaders: []string{"ORTH-ACCESS-TOKEN"},
		LogDates:     []string{"logDateTim"},
		OutcomeDate:  "logDateTim",
		LogEnds:      []string{"end"},
		Payloads:     []string{"data"},
		Concurrency:  true,
		Planned:      true,
		Answers: xxl.Answers{
			Method:       "Invalid request, HttpMethod not supported.",
			PathEmpty:    "Invalid request, URI-mapping empty.",
			PathUnknown:  xxl.Phrase{Before: "Invalid request, URI-mapping(", After: ") not found."},
			Token:        "The access token is wrong.",
			Failed:       "Request error: ",
			KindUnknown:  xxl.Phrase{Before: "Invalid glue type: "},
			KindOff:      xxl.Phrase{Before: "Invalid glue type: "},
			NoHandler:    xxl.Phrase{Before: "Job handler not found: "},
			Discarded:    "Block strategy effect: Discard Later",
			Repeated:     xxl.Phrase{Before: "Duplicate trigger request, logId: "},
			Busy:         "Job thread is running or has queued triggers",
			NothingEnded: "Job thread not running (already killed or never started)",
			Ended:        "Job killed successfully",
			LogMissing:   "Log file does not exist",
		},
		Ends: xxl.Ends{
			Killed:  "Admin scheduler kill request",
			Stopped: "Executor shutdown - terminating job",
			Covered: "Block strategy effect: Cover Early",
			Running: " [job running, killed]",
			Waiting: " [job not executed, in queue, killed]",
			Timeout: "Job execution timeout",
			Exit:    xxl.Phrase{Before: "orth script execution failed with exit code: "},
		},
	}
}
