// Package errorline finds the line of a program's output that says why it failed.
//
// It knows how shells, interpreters and common tools report errors. It must never
// know processes, tasks or secrets. The output comes in as it is written; one short
// line without control characters and without secrets goes out.
//
// Standard output and standard error share one pipe, because a run log keeps their
// order (docs/decisions/one-pipe.md). The line is therefore chosen by its form:
//
//  1. the head of the last stack trace, unless many lines follow it;
//  2. otherwise the last of the final 20 lines that reports an error;
//  3. otherwise the last line.
//
// Blank lines, indented lines, progress bars, traces of set -x and the hints that
// tools print below an error never win while there is another line.
package errorline
