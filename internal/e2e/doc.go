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
// scripts wrote down themselves, and what it reported. So are fleets of a server and
// executors that are killed, or whose answers are lost: by what was due, as an oracle
// without cron says, by what the server has recorded, and by the journals of the
// handlers.
//
//	go test ./internal/e2e -run TestCrashStorm -v -args -long       for minutes
//	go test ./internal/e2e -run TestCrashStorm -v -args -seed 42    with the same dice
package e2e
