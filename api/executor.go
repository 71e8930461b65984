package api

import "github.com/orthd/orth/job"

// Executor is a process that runs tasks.
type Executor struct {
	Group        string   `json:"group" doc:"The group it belongs to."`
	Address      string   `json:"address" doc:"Its base URL."`
	LeaseUntil   Time     `json:"lease_until" format:"date-time" doc:"Until when it is thought alive without another sign of life."`
	RegisteredAt Time     `json:"registered_at" format:"date-time"`
	SeenAt       Time     `json:"seen_at" format:"date-time" doc:"Its last sign of life."`
	Features     []string `json:"features,omitempty" nullable:"false" doc:"What it says that it can run, such as shell or python=3.11.2; absent when it does not say."`
}

// ExecutorList is the executors that are alive, by group and address.
type ExecutorList struct {
	Executors []Executor `json:"executors" nullable:"false"`
}

// Version is the version of the server.
type Version struct {
	Version string `json:"version" example:"1.2.3"`
}

// Health is the answer of a server that is up.
type Health struct {
	Status string `json:"status" enum:"ok"`
}

// FromExecutor returns the executor as the API shows it.
func FromExecutor(e job.Executor) Executor {
	return Executor{
		Group: e.Group, Address: e.Address, LeaseUntil: At(e.LeaseUntil),
		RegisteredAt: At(e.RegisteredAt), SeenAt: At(e.SeenAt), Features: e.Features,
	}
}
