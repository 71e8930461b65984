package api

import "github.com/orthd/orth/job"

// LogPage is a piece of the log of an attempt, by lines.
type LogPage struct {
	From int    `json:"from" doc:"The first line that was asked for; the first line of a log is 1."`
	To   int    `json:"to" doc:"The last line returned; below from when there is none yet."`
	Next int    `json:"next" doc:"Send it as from for the next page."`
	Text string `json:"text" doc:"Whole lines, each with its line end."`
	Done bool   `json:"done" doc:"Whether nothing will follow."`
	// FromMemory tells people why lines may be missing.
	FromMemory bool   `json:"from_memory,omitempty" doc:"Whether the executor could not be asked for lines that it may have: these are the ones that the server has kept."`
	Kept       string `json:"kept,omitempty" enum:"open,whole,cut,torn,none" doc:"How much of the log the server keeps: not all of it yet, the whole, as many lines as allowed, what it received before the executor was lost, or nothing. Absent when it keeps none."`
	Note       string `json:"note,omitempty" doc:"Why lines are missing."`
}

// FromLogPage returns the page as the API shows it.
func FromLogPage(p job.LogPage) LogPage {
	from := max(p.From, 1)
	return LogPage{
		From: from, To: p.To, Next: max(p.To+1, from), Text: p.Text, Done: p.End, FromMemory: p.FromMemory,
		Kept: p.Kept, Note: p.Note,
	}
}

// LogLines is the data of the event "lines" of a log that is followed.
type LogLines struct {
	Attempt int    `json:"attempt" doc:"The number of the attempt."`
	From    int    `json:"from" doc:"The number of the first line."`
	To      int    `json:"to" doc:"The number of the last line."`
	Text    string `json:"text" doc:"Whole lines, each with its line end."`
	Note    string `json:"note,omitempty" doc:"Why lines are missing."`
}

// LogAttempt is the data of the event "attempt": the lines that follow are of it.
type LogAttempt struct {
	Number  int    `json:"number" doc:"The number of the attempt."`
	ID      ID     `json:"id" doc:"The attempt's id."`
	Address string `json:"address" doc:"The executor's base URL."`
}

// LogEnd is the data of the event "end": no line will follow.
type LogEnd struct {
	State   job.State `json:"state" doc:"The state of the run."`
	Final   bool      `json:"final" doc:"Whether the run is over."`
	Reason  string    `json:"reason,omitempty" doc:"Why the run is in its state."`
	Message string    `json:"message,omitempty" doc:"The last outcome's message."`
}

// FromLogAttempt returns the header of an attempt whose lines follow.
func FromLogAttempt(a job.Attempt) LogAttempt {
	return LogAttempt{Number: a.Number, ID: ID(a.ID), Address: a.Address}
}

// FromLogEnd returns the record after the last line.
func FromLogEnd(r job.Run) LogEnd {
	return LogEnd{State: r.State, Final: r.State.Final(), Reason: r.Reason, Message: r.Message}
}

// LogHit is a line that a search has found.
type LogHit struct {
	RunID   ID       `json:"run_id" doc:"The id of the run."`
	Attempt int      `json:"attempt" doc:"The number of the attempt."`
	Line    int      `json:"line" doc:"The number of the line."`
	Text    string   `json:"text" doc:"The line. Of a long line, the part around the match."`
	Before  []string `json:"before,omitempty" doc:"Lines before it."`
	After   []string `json:"after,omitempty" doc:"Lines behind it."`
}

// LogHits is what a search has found.
type LogHits struct {
	Hits     []LogHit `json:"hits" nullable:"false" doc:"In the order of the search."`
	Complete bool     `json:"complete" doc:"Whether everything that is there was looked at."`
	Next     string   `json:"next,omitempty" doc:"Where to go on: send it as from to search on in one log, as before in the logs of a job. Missing when there is nowhere to go."`
	Note     string   `json:"note,omitempty" doc:"Why the search is not complete."`
	Lines    int      `json:"lines" doc:"How many lines were looked at."`
	Logs     int      `json:"logs" doc:"How many logs were looked at."`
}

// FromLogHits returns the result of a search as the API shows it.
func FromLogHits(h job.LogHits) LogHits {
	found := LogHits{Hits: make([]LogHit, len(h.Hits)), Complete: h.Complete, Note: h.Note, Lines: h.Lines, Logs: h.Logs}
	if h.Next > 0 {
		found.Next = ID(h.Next).String()
	}
	for i, hit := range h.Hits {
		found.Hits[i] = LogHit{
			RunID: ID(hit.Run), Attempt: hit.Number, Line: hit.Line, Text: hit.Text, Before: hit.Before, After: hit.After,
		}
	}
	return found
}
