package api

import "github.com/orthd/orth/job"

// Evidence is an outcome that does not count: it arrived after the end of its attempt was
// recorded and contradicts it, or it came with a token of another group.
type Evidence struct {
	At      Time      `json:"at" format:"date-time" doc:"When it came."`
	State   job.State `json:"state" enum:"succeeded,failed,timed_out,cancelled,lost,skipped" doc:"How the attempt ended, as reported."`
	Message string    `json:"message,omitempty" doc:"The reported message, at most 1,000 characters."`
	Note    string    `json:"note" doc:"How the report relates to the recorded end, in words."`
}

// fromEvidence returns evidence as the API shows it.
func fromEvidence(evidence []job.Evidence) []Evidence {
	if len(evidence) == 0 {
		return nil
	}
	shown := make([]Evidence, len(evidence))
	for i, e := range evidence {
		shown[i] = Evidence{At: At(e.At), State: e.State, Message: e.Message, Note: e.Note}
	}
	return shown
}
