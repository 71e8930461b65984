// Package trace makes spans of what happens to runs, and brings them to a collector
// of OpenTelemetry by OTLP over HTTP.
//
// It knows ids, times and names of spans, and how a collector is reached. It must
// never know why a run is where it is, a protocol of executors, or a secret of a job.
// What happened comes in, with the ids of runs and attempts; spans go out, in batches.
//
// A run is a trace. Its id, and those of the spans of the run and of its attempts,
// follow from the run's and a key, so that each server that has the key, and the
// executor that is told, adds to the same trace and none has to ask another. Whether
// a run is traced follows from the id too.
//
// Nobody ever waits for a collector: spans that find no room are dropped and counted.
package trace
