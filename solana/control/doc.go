// Package control lets an operator look into a node that executes threads, and mend it: what waits, what was given up, how the
// nodes of the chain are, and what it has brought; and it shows the node to Prometheus.
//
// It knows the ledger, paths of HTTP, limits of requests, and a token. It must never know flags, tables, or how an execution is
// made. Requests of commands and scrapers come in; JSON, figures and words go out, and never a key or an address of a node.
//
//	orth-solana queue ──▶ Client ══ 127.0.0.1:6180 ══▶ Server ──▶ service, ledger
//	       └────────── of a stopped node: Local ────────▶ Server ──▶ ledger
//
// Every request of control shows the token that lies in the data folder for its owner alone: other users of the machine, and
// pages in a browser, have none. Metrics and health are shown without one to this machine only.
package control
