// Package orth is the root of Orth, a distributed job scheduler: server,
// executor, command line and console in one binary.
//
// It holds no code. It has the tests that keep the whole tree in order: which
// package may import which, which names are banned, how long a file may be.
// ARCHITECTURE.md tells what lives where; executor, handler and client are the
// packages for programs that run Orth's tasks or talk to its server.
package orth
