// Package errorline finds the line of a program's output that explains its failure.
//
// It knows how shells, interpreters and common tools report errors. It must not know
// processes, tasks or secrets. Input is the output as it is written; the result is one
// short line without control characters and secrets.
//
// Standard output and standard error share one pipe, because a run log keeps their order
// (docs/decisions/one-pipe.md). The line is therefore chosen by its form:
//
//  1. the head of the last stack trace, unless many lines follow it;
//  2. otherwise the last of the final 20 lines that reports an error;
//  3. otherwise the last line.
//
// Blank lines, indented lines, progress bars, traces of set -x and hints that tools print
// below an error are never chosen if another line exists.
package errorline
