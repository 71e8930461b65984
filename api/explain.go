package api

// Explanation answers why a run is what it is, or why a job did, did not or will
// run at a time.
type Explanation struct {
	Question string     `json:"question" doc:"What is answered, in English."`
	Answer   string     `json:"answer" doc:"The answer in a few English sentences, the plainest one first."`
	Answers  []Sentence `json:"answers" nullable:"false" doc:"The sentences of the answer one by one, to be said in other languages."`
	Zone     string     `json:"zone" example:"Europe/Berlin" doc:"The zone of the times in the texts: the one of the job's schedule."`
	Facts    []Fact     `json:"facts" nullable:"false" doc:"What the answer rests on: first what belongs to no instant, then the oldest first. Some may lie ahead."`
}

// Fact is one thing that is known.
type Fact struct {
	At   Time   `json:"at,omitzero" format:"date-time" doc:"The instant of it; absent when it belongs to none."`
	Kind string `json:"kind" example:"attempt_ended" doc:"What it is about. The kinds keep their meaning; new ones may come."`
	Sentence
	RunID ID `json:"run_id,omitzero" pattern:"^[0-9]+$" doc:"Another run that it is about."`
}

// Sentence is something said, with what it takes to say it in another language.
type Sentence struct {
	Code   string            `json:"code" example:"attempt_ended" doc:"Names the sentence, whatever stands in its gaps. The codes keep their meaning; new ones may come."`
	Text   string            `json:"text" doc:"The sentence in English."`
	Values map[string]string `json:"values,omitempty" doc:"What stands in the gaps of the sentence, by name: instants in RFC 3339, durations such as 1m30s, states and causes by their names in the API. What the server says in Chinese too stands under the name with _zh as well."`
}
