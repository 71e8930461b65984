// Package submit gets signed transactions to the chain and finds out what becomes of them.
//
// It knows two ways: nodes of RPC, and the leaders themselves; and one way to be sure: a status that most of the stake has
// seen, or the proof that there will never be one. It must never know what a transaction does, or make another: bytes come
// in, and the same bytes are sent until they have landed or cannot any more. An end goes out.
package submit
