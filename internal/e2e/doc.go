// Package e2e starts the real binary and treats it as users and bad days do: jobs
// made by the command line, processes killed at the worst moment, wrong input.
//
// It knows the command line and what it prints. It must never know a package
// of the server or the executor: everything passes through processes, files
// and sockets. The binary is built with the tag failpoints, so that a process
// can be made to kill itself at a named point.
package e2e
