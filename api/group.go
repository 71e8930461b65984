package api

// GroupFigures is a group of executors with what belongs to it.
type GroupFigures struct {
	Namespace    string            `json:"namespace"`
	Key          string            `json:"key" doc:"The name under which its executors register."`
	Title        string            `json:"title,omitempty" doc:"A text for people."`
	Labels       map[string]string `json:"labels,omitempty" doc:"Notes of people."`
	Version      int64             `json:"version" doc:"It grows by one at each change by people."`
	OwnTokenOnly bool              `json:"own_token_only,omitempty" doc:"Its executors must show a token of the group."`
	CreatedAt    Time              `json:"created_at" format:"date-time"`
	Executors    int               `json:"executors" doc:"How many executors it has, those included that were entered by hand and do not answer."`
	Alive        int               `json:"alive" doc:"How many of them are alive."`
	Draining     int               `json:"draining" doc:"How many of them accept no more tasks."`
	Jobs         int               `json:"jobs" doc:"How many jobs name it."`
	Running      int               `json:"running" doc:"How many attempts its executors have."`
	Waiting      int               `json:"waiting" doc:"How many runs wait for them."`
}

// GroupList is a page of groups in order of key.
type GroupList struct {
	Groups []GroupFigures `json:"groups" nullable:"false"`
	Next   string         `json:"next,omitempty" doc:"Send it as after for the next page; absent on the last one."`
}

// NewGroup is a group to be made.
type NewGroup struct {
	Key    string            `json:"key" doc:"Letters, digits, dot, dash and underscore, at most 64: the name under which its executors register."`
	Title  string            `json:"title,omitempty" doc:"A text for people, at most 200 characters."`
	Labels map[string]string `json:"labels,omitempty" nullable:"false" doc:"Notes of people: at most 16."`
}

// GroupDefinition has the fields of a group that documents of jobs as code may set. Its
// executors, their addresses and its tokens depend on where a server runs.
type GroupDefinition struct {
	Title        string            `json:"title,omitempty" maxLength:"200" doc:"A text for people, at most 200 characters."`
	Labels       map[string]string `json:"labels,omitempty" nullable:"false" doc:"Notes of people: at most 16."`
	OwnTokenOnly bool              `json:"own_token_only,omitempty" doc:"Whether only tokens that were added to the group are accepted. It needs one first."`
}
