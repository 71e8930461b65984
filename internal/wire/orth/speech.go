// Package orth holds the words of the Java fork of XXL-JOB that has Orth's name.
//
// It knows the names and the texts in which the fork differs, and those alone: all
// else is package xxl's, and so is everything that is done with them. It must never
// know a request, a room or how a dialect is found out. Nothing comes in; one value
// goes out.
package orth

import (
	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
)

// Speech returns [job.DialectOrthJava].
func Speech() dialect.Speech {
	return dialect.Speech{
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
		Answers: dialect.Answers{
			Method:       "Invalid request, HttpMethod not supported.",
			PathEmpty:    "Invalid request, URI-mapping empty.",
			PathUnknown:  dialect.Phrase{Before: "Invalid request, URI-mapping(", After: ") not found."},
			Token:        "The access token is wrong.",
			Failed:       "Request error: ",
			KindUnknown:  dialect.Phrase{Before: "Invalid glue type: "},
			KindOff:      dialect.Phrase{Before: "Invalid glue type: "},
			NoHandler:    dialect.Phrase{Before: "Job handler not found: "},
			Discarded:    "Block strategy effect: Discard Later",
			Repeated:     dialect.Phrase{Before: "Duplicate trigger request, logId: "},
			Busy:         "Job thread is running or has queued triggers",
			NothingEnded: "Job thread not running (already killed or never started)",
			Ended:        "Job killed successfully",
			LogMissing:   "Log file does not exist",
		},
		Ends: dialect.Ends{
			Killed:  "Admin scheduler kill request",
			Stopped: "Executor shutdown - terminating job",
			Covered: "Block strategy effect: Cover Early",
			Running: " [job running, killed]",
			Waiting: " [job not executed, in queue, killed]",
			Timeout: "Job execution timeout",
			Exit:    dialect.Phrase{Before: "orth script execution failed with exit code: "},
		},
	}
}
