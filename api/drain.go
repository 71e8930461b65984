package api

// Drain says whether an executor is to take no more tasks.
type Drain struct {
	On bool `json:"on" doc:"true: it finishes what it has and takes no more, until it stops or is told otherwise; false: it takes tasks again."`
}

// ServerDrain says whether a server is to take no more work.
type ServerDrain struct {
	On bool `json:"on" doc:"true: it ends what it has and plans and claims no more, while it still takes what executors report, until it stops or is told otherwise; false: it works again."`
}

// Draining is an executor after it was told.
type Draining struct {
	Group    string `json:"group"`
	Address  string `json:"address"`
	Draining bool   `json:"draining" doc:"It takes no more tasks. One that stops drains whatever it is told."`
}
