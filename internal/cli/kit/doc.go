// Package kit is what all commands share: the environment, the connection to a server and
// its contexts, common flags, printed results, questions, errors and exit codes.
//
// It knows a server through package client only, and no noun of the command line: a
// function belongs here when two rooms need it. Each room of internal/cli takes a [Tool]
// and returns commands; no room imports another.
package kit
