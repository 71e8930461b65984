// Package jobrows finds the rows that the commands and the queries about jobs share: jobs,
// runs, calendars and pauses by their names.
//
// It knows the sources of rows, the defaults and checks of a job's schedule against the
// calendars of its namespace, and the checks of texts and instants that users send. It must
// never know HTTP, SQL, commands or lists. Names come in; rows and errors about fields go
// out.
package jobrows
