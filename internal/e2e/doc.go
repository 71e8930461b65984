// Package e2e starts the real binary and treats it as users and bad days do: jobs
// made by the command line, processes killed at the worst moment, full disks, wrong
// input.
//
// It knows the command line and what it prints, and for the tests that play the
// server themselves the wire's client and handler. It must never know a room of the
// server or the executor: everything passes through processes, files and sockets.
// The binary is built with the tag failpoints, so that a process can be made to
// kill itself at a named point.
//
// The executor's torture is judged by three lists: what it accepted, what its
// scripts wrote down themselves, and what it reported.
package e2e
