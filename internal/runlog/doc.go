// Package runlog keeps the run logs of an executor: small ones packed many to a
// file, large ones each in a file of its own, in a folder per day.
//
// It knows files, lines and days. It must never know what runs, what a line
// means or who reads. Bytes come in from handlers through the writer that
// [Logs.Create] returns; numbered lines go out through [Logs.Read],
// [Logs.Tail] and [Logs.Follow], bytes by their place through [Logs.ReadAt].
//
//	{dir}/2026-11-21/3.pack     finished small logs, one record each
//	{dir}/2026-11-21/4711.log   a log that is large or was long in the making
//	{dir}/2026-11-21/4711.idx   where its lines start, once it is complete
//
// A log lives through these places:
//
//	Create ──▶ memory ──Close──▶ pack
//	             │ larger than Config.Small or older than Config.SpillAfter
//	             └────────▶ file ──Close──▶ file and, when it is long, index
//
// What survives the death of the process: of a small finished log everything after a
// tenth of a second (a server of Orth has it from the outcome), of a log in its own file
// everything but the last 5 milliseconds, of a log still in memory nothing. Nothing is
// forced to the disk for the death of the machine.
//
// Lines are numbered from 1. A reader that asks for a line far into a long log
// is not made to wait for a scan from the top: while a log is written its index
// is in memory, afterwards in the .idx file, and after a crash it is made anew
// by one scan. Everything is bounded: a line, a log, an answer, a buffer.
package runlog
