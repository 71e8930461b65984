// Package e2e executes threads on a real Solana virtual machine, and treats the executor as bad
// days do: lost transactions, rivals, dropped connections, processes killed at each step. Two of
// its tests start the server of Orth and read there what the executor reports.
//
// It knows the packages of the executor, the program orth-solana, and the command line of orth. It
// must never know a room of the server: what it asks of one, it asks as a user does.
package e2e
