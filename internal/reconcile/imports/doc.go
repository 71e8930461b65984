// Package imports brings what other schedulers have to a server, through its API, when a
// user requests it.
//
// It knows the formats of other schedulers from packages importer and xxlimport. It does
// not know terminals, or how the database of another scheduler is opened. Since every
// change is an API request, the caller's rights and the audit log apply.
package imports
