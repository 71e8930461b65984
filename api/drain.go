package api

// Drain is the request to drain an executor, or to end its drain.
type Drain struct {
	On bool `json:"on" doc:"true: it finishes its tasks and accepts no more, until it stops or the drain is ended; false: it accepts tasks again."`
}

// ServerDrain is the request to drain a server, or to end its drain.
type ServerDrain struct {
	On bool `json:"on" doc:"true: it finishes its work and plans and claims no more, while it still accepts reports of executors, until it stops or the drain is ended; false: it works again."`
}

// Draining is an executor after a [Drain].
type Draining struct {
	Group    string `json:"group"`
	Address  string `json:"address"`
	Draining bool   `json:"draining" doc:"It accepts no more tasks. An executor that stops drains whatever this request set."`
}
