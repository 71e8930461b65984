// Package logview follows the log of a run and prints its lines.
//
// It knows pages of lines and how a terminal shows them, and no flag.
package logview
