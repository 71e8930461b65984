// Package runs implements orth run, apart from logs: list, show, cancel, rerun and prune runs.
//
// It reads and changes runs through the API and decides about no state.
package runs
