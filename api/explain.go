package api

// Explanation answers why a run is what it is, or why a job did, did not or will
// run at a time.
type Explanation struct {
	Question string `json:"question" doc:"What is answered, in English."`
	Answer   string `json:"answer" doc:"The answer in a few English sentences, the plainest one first."`
	Zone     string `json:"zone" example:"Europe/Berlin" doc:"The zone of the times in the texts: the one of the job's schedule."`
	Facts    []Fact `json:"facts" nullable:"false" doc:"What the answer rests on: first what belongs to no instant, then the oldest first. Some may lie ahead."`
}

// Fact is one thing that is known.
type Fact struct {
	At     Time              `json:"at,omitzero" format:"date-time" doc:"The instant of it; absent when it belongs to none."`
	Kind   string            `json:"kind" example:"attempt_ended" doc:"What it is about. The kinds keep their meaning; new ones may come."`
	Text   string            `json:"text" doc:"A sentence in English."`
	RunID  ID                `json:"run_id,omitzero" pattern:"^[0-9]+$" doc:"Another run that it is about."`
	Values map[string]string `json:"values,omitempty" doc:"What stands in the sentence, by name, for sentences in other languages: instants in RFC 3339, durations such as 1m30s."`
}
