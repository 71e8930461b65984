package api

// Explanation answers why a run is what it is, or why a job did, did not or will
// run at a time.
type Explanation struct {
	Question string     `json:"question" doc:"The answer, in English."`
	Answer   string     `json:"answer" doc:"The answer in a few English sentences, the plainest one first."`
	Answers  []Sentence `json:"answers" nullable:"false" doc:"The sentences of the answer one by one, to be rendered in other languages."`
	Zone     string     `json:"zone" example:"Europe/Berlin" doc:"The zone of the times in the texts: the one of the job's schedule."`
	Facts    []Fact     `json:"facts" nullable:"false" doc:"The evidence for the answer: facts without an instant first, then the oldest first. Some may lie in the future."`
}

// Fact is one thing that is known.
type Fact struct {
	At   Time   `json:"at,omitzero" format:"date-time" doc:"The instant of it; absent when it belongs to none."`
	Kind string `json:"kind" example:"attempt_ended" doc:"The subject of the fact. The kinds keep their meaning; new ones may be added."`
	Sentence
	RunID ID `json:"run_id,omitzero" pattern:"^[0-9]+$" doc:"Another run that it is about."`
}

// Sentence is a text, with the code and values from which other languages render it.
type Sentence struct {
	Code   string            `json:"code" example:"attempt_ended" doc:"Identifies the sentence template, whatever values fill it. The codes keep their meaning; new ones may be added."`
	Text   string            `json:"text" doc:"The sentence in English."`
	Values map[string]string `json:"values,omitempty" doc:"The values of the placeholders, by name: instants in RFC 3339, durations such as 1m30s, states and causes by their names in the API. A value that the server also has in Chinese is repeated under its name with the suffix _zh."`
}
