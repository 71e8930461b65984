// Package svmtest gives tests a Solana chain of their own: Agave's virtual machine behind
// JSON-RPC and websockets (solana/testdata/svm, in Node.js), the stand-ins for the on-chain
// thread programs (solana/testdata/program), accounts of threads, and leaders that accept
// transactions over QUIC.
//
// It must never be imported by anything but tests. Time on the chain stands still until a
// test moves it: nothing in a test depends on how fast the machine is. Where Node.js or the
// runtime's package is missing, tests that start a chain are skipped with a message that
// names the remedy, and fail where ORTH_REQUIRE_TOOLS is set.
package svmtest
