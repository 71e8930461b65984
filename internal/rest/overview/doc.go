// Package overview has the operations that show what there is and what happens: namespaces,
// summaries, the dashboard, statistics, the stream of events, the audit log, settings and
// profiles of the server, and imports.
//
// It knows how these look in JSON and in server-sent events. It must never know how they
// are counted. A checked request comes from the guard, one question goes to the stores; a
// stream asks the guard again who reads it.
package overview
