// Package reconcile makes a server match documents, and imports from other schedulers,
// through the server's API. The command line uses it, and the server itself for imports
// that a user requests.
//
// It knows API clients, documents, and the formats of other schedulers. It does not know
// terminals, addresses, or the server's packages. Since every change is an API request, the
// caller's rights and the audit log apply.
package reconcile
