// Package runlog keeps the run logs of an executor: one file per attempt, in a
// folder per day.
//
// It knows files, lines and days. It must never know what runs, what a line
// means or who reads. Bytes come in from handlers through the writer that
// [Logs.Create] returns; numbered lines go out through [Logs.Read].
//
//	{dir}/2026-11-21/4711.log   the lines
//	{dir}/2026-11-21/4711.idx   where lines start, once a long log is complete
//
// Lines are numbered from 1. A reader that asks for a line far into a long log
// is not made to wait for a scan from the top: while a log is written its index
// is in memory, afterwards in the .idx file, and after a crash it is made anew
// by one scan. Everything is bounded: a line, a log, an answer.
package runlog
