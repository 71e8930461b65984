// Package output formats the output of the Orth programs for people and scripts: tables,
// key-value lists, JSON, YAML, names, log lines, manual pages, questions and exit codes.
//
// It handles columns, colors, formats, and the mapping of error kinds to exit codes. It
// must not know the meaning of results: no job, no run, no thread. Input is values and
// texts; output is what people and programs read.
package output
