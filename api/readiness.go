package api

// Readiness reports whether a server does its work.
type Readiness struct {
	Ready bool `json:"ready"`
	// Reasons are why it does not; empty when it does.
	Reasons []Unready `json:"reasons"`
}

// Unready is a reason why a server does not do its work.
type Unready struct {
	// Code is for programs; there are database, planner, clock, starting and stopping.
	Code string `json:"code"`
	// Detail is the reason in words, with what to do.
	Detail string `json:"detail"`
}
