// Package cluster tracks the servers that share a database: which exist, which drain, and
// which one leads. The leader does the work that must be done once.
//
// It knows rows of servers, leases by the database's clock, and the lead. It must never
// know SQL, or what a server does while it works, drains or leads: callers query it. It
// sends heartbeats to the store and receives the state of the cluster.
//
//	heartbeat, each 2 s or when woken ──▶ row, lead ──▶ draining? leading? watched?
//
// A lead ends for its holder before it ends for others: the holder counts from before it
// sent the heartbeat, by a clock that does not jump, and then stops the work that it does
// as leader. A server that is alone on its database leads, and cannot be drained.
package cluster
