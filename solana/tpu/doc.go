// Package tpu sends transactions to the nodes that make the next blocks, over QUIC, without
// an RPC node in between.
//
// It knows who leads which slots, where they listen, and their protocol: one unidirectional
// stream per transaction, with its bytes and nothing else. It must never know the content
// or the outcome of a transaction: a leader answers nothing, and one that accepted the
// bytes may drop them. Bytes come in; the number of leaders that accepted them goes out.
// Other packages confirm.
//
// Leaders allow few new connections a minute. So the client opens connections ahead and
// keeps them, and never opens one for a transaction.
package tpu
