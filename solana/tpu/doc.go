// Package tpu hands transactions to the nodes that make the next blocks, over QUIC, without a node of RPC in between.
//
// It knows who leads which slots, where they listen, and their protocol: one stream in one direction per transaction, its
// bytes and nothing else. It must never know what is in a transaction or what became of it: a leader says nothing, and one
// that took the bytes may drop them. Bytes come in; how many leaders took them goes out. Confirmation is another's.
//
// Leaders allow few new connections a minute, so that connections are made ahead and kept, and never for a transaction.
package tpu
