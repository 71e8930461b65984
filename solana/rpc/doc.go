// Package rpc asks nodes of Solana over JSON-RPC: several of them as one, with what each of them can do, how well it is, and
// how much it may be asked.
//
// It knows methods, their answers, and which errors another try or another node may not meet. It must never know threads,
// fibers or when something is due. Requests come in; answers go out, each with the slot at which the node stood: nodes are
// not equally far, and who keeps answers keeps the newer one.
//
// Addresses of nodes hold keys of their owners. No error, log line or metric shows more of an address than its host.
package rpc
