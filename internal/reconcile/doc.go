// Package reconcile makes a server have what documents say, through its API, and what
// other schedulers have: for the command line, and for the server itself when somebody
// asks it to.
//
// It knows clients of the API, documents, and the formats of other schedulers by their
// doors. It must never know a terminal, an address, or a room of the server: objects and
// databases come in, requests of the API and reports go out, so that the rights of who
// asks, and the audit, hold for all of it.
package reconcile
