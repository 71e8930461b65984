// Package thread knows the accounts of the on-chain thread programs: where they are, how their bytes are laid out, when a
// thread is due, and what its execution pays.
//
// It must never know how an account comes here or how an instruction gets to the chain: no RPC, no clock, no queue. It takes
// bytes of accounts and the chain's clock, and gives values. Data of accounts is anybody's: whatever the bytes are, decoding
// ends with a value or an [ErrFormat], never with a panic, and takes no more memory than a small multiple of the bytes.
//
// The programs have versions that differ in ids, layouts and instructions. A [Profile] is one of them.
package thread
