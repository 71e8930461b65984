// Package secrets keeps named secrets: values that jobs refer to, that are sealed where
// they are stored, and that no user can read again.
//
// It knows secrets, which jobs may refer to them, and what a value looks like in a log. It
// must never know HTTP, SQL, executors, or what a job does with a value. Requests come in
// from the doors, with values that go no other way than in. A task that goes out to an
// executor gets the values that its job refers to. The redaction of logs gets all values
// that are or lately were good.
package secrets
