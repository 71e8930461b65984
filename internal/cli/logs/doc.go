// Package logs implements orth run log and orth job logs: print, follow, search and save
// the logs of runs.
//
// Package logview reads and prints lines; here are the flags.
package logs
