package failure

import "fmt"

// Class is what a failure means. The set is closed.
type Class string

// The classes.
const (
	// Transient: nothing is wrong with the execution. It is tried again after a while, and costs a try.
	Transient Class = "transient"
	// NotReady: the trigger has not come by the chain's clock. It waits for that, and costs no try.
	NotReady Class = "not_ready"
	// Paused: the thread, or the program as a whole, is paused. It waits until that changes, and costs no try.
	Paused Class = "paused"
	// Superseded: the thread has moved on; another executor has executed it, or it was
	// changed. It is read again: if it has been executed this is done, else it is built
	// again.
	Superseded Class = "superseded"
	// Resource: it needs more compute units. The limit is raised and it is built again, up to the chain's own limit.
	Resource Class = "resource"
	// Expired: its blockhash is not valid any more. It is signed again, once it is proved
	// that it cannot have landed.
	Expired Class = "expired"
	// Known: the chain has seen this transaction already. Its fate is asked for.
	Known Class = "known"
	// Unclear: a program failed and no log names it. It is built again, and its simulation
	// names the program.
	Unclear Class = "unclear"
	// Program: what the thread executes failed, and would again with the same accounts. It is tried a few times, slowly.
	Program Class = "program"
	// Permanent: no try will help. It goes to the dead letters.
	Permanent Class = "permanent"
	// Dry: who pays for transactions cannot. Nothing is sent for anybody until that is mended.
	Dry Class = "dry"
)

// Classes returns all, in the order above.
func Classes() []Class {
	return []Class{Transient, NotReady, Paused, Superseded, Resource, Expired, Known, Unclear, Program, Permanent, Dry}
}

// CostsTry reports whether an execution that failed so has used one of its tries up.
func (c Class) CostsTry() bool { return c == Transient || c == Program || c == Unclear }

// Verdict is a class with its reason in words.
type Verdict struct {
	Class  Class
	Reason string
	// Code is the number of the program that failed; 0 where there is none.
	Code uint32
}

// String is the verdict in a line.
func (v Verdict) String() string { return fmt.Sprintf("%s: %s", v.Class, v.Reason) }
