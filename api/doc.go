// Package api holds the shapes of the native HTTP API, version 1: what requests
// and responses look like in JSON, and how they turn into the words of package
// job and back.
//
// It knows names, formats and the table of error kinds and HTTP statuses. It
// must never know HTTP handlers, clients, a clock or a database: every function
// is pure. The server's doors make their OpenAPI document from these types, and
// clients in Go use them as they are.
//
// Names are snake_case and never change their meaning within version 1; new
// fields may come. Instants are RFC 3339 in UTC with milliseconds. Durations are
// texts such as "1m30s". Ids of jobs are numbers; ids of runs and attempts are
// texts of digits, because they may grow beyond what JavaScript's numbers hold.
package api
