// Package jsontext reads and writes the JSON of the wires.
//
// It knows JSON, and what peers that are lenient about it send. It must never
// know a protocol: no name of a field stands here. Bytes of one message come in,
// whole and of a size that their reader has bounded; values, or errors of kind
// [job.Invalid], go out. Values are appended to buffers of the caller.
//
// It reads without reflection, in one pass, because every scheduled run pays for
// several messages and encoding/json costs several times more.
package jsontext
