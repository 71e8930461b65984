// Package manifest keeps jobs, and what belongs to them, as files: it reads and
// writes documents, compares them with what a server has, and carries out the
// difference.
//
// It knows the shape of documents, which fields the API takes and what their
// defaults are, in which order things are made and deleted, and the JSON Schema of
// it all. It must never know a client, a terminal, a flag or the environment: the
// server is an interface of two methods, and secrets are looked up by a function.
// Folders and stored objects come in; documents, a [Plan] and its [Step]s go out.
//
// A document says all that an object is: a field that it leaves out has its
// default, and a change that was made by hand is undone by the next plan. Few
// fields are left alone when a document does not say them: whether a job, a rule
// or a channel is enabled, and instants that the server chose.
package manifest
