// Package control lets an operator of a machine look into the queues of its
// executor and mend them: list what waits, runs or was given up, run it again,
// remove it, copy the file.
//
// It knows queues by name, items as what may be shown of them, and a socket in
// the executor's data folder. It must never know what an item means (a function
// from outside describes bodies), nor a terminal. Calls of [Operations] come in,
// in the process of the executor or over its socket; changes of the queues and
// what may be shown go out.
//
//	orth queue ──▶ Client ══ control.sock ══▶ NewServer ──▶ Queues ──▶ queue.Store
//	     └────────────── of a stopped executor ───────────────┘
//
// [Caller] and [Responder] are how the two ends speak, JSON over HTTP with bounds, and
// know nothing of queues: the node of package solana/control has its own operations on
// them.
//
// There is no token: whoever may open the socket, which only the executor's own
// user may, could read its folder anyway.
package control
