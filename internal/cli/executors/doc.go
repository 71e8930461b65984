// Package executors implements orth executors and orth group: the executors that a server knows,
// their groups, tokens and rewritten addresses.
//
// The process of an executor is run by package daemon.
package executors
