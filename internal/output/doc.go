// Package output is how the programs of Orth speak on a terminal and to scripts:
// results as tables, sheets, JSON, YAML or names, log lines, manual pages, questions,
// and exit codes.
//
// It knows columns, colours, formats and which kind of error ends with which code. It
// must never know what a result means: no job, no run, no thread. Values and texts come
// in; what people and programs read goes out.
package output
