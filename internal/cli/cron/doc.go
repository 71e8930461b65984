// Package cron implements orth cron: the next firings of an expression, and what each of its
// fields means.
//
// It calculates on this machine, and calls a server only for a calendar that is neither
// a file nor built in. Input is an expression; output is times, words or JSON.
package cron
