// Package cluster keeps a server among those that share its database: who there is,
// which of them drain, and which one does what needs to be done once.
//
// It knows rows of servers, leases by the database's clock, and the lead. It must never
// know SQL, or what a server does while it works, drains or leads: whoever needs to know
// asks. Beats go out to the store; how things stand comes back.
//
//	beat, each 2 s or when woken ──▶ row, lead ──▶ draining? leading? watched?
//
// A lead ends for its holder before it ends for others: it counts from before the beat
// was sent, by a clock that does not jump, and what is done under it is stopped then.
// Where a server is alone on its database it leads, and nobody makes it drain.
package cluster
