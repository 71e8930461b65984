// Package reconcile makes a server match documents, through the server's API. The command
// line uses it, and package imports for what other schedulers have.
//
// It knows API clients and documents. It does not know terminals, addresses, or the
// server's packages. Since every change is an API request, the caller's rights and the
// audit log apply.
package reconcile
