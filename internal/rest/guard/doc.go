// Package guard stands before all operations of the API: an operation is one record ([Op])
// with a function, and a request reaches the function only with all that the record asks.
//
// It knows the token, who calls and what they may do, rates, idempotency keys, versions of
// objects, problems and pages of lists. It must never know what an operation does: it asks
// the stores for the place and the version of objects, and for the jobs whose parameters
// take a right of their own.
//
//	request ─▶ headers ─▶ panics ─▶ credential ─▶ limits ─▶ route ─▶ rate ─▶ right ─▶ intent ─▶ operation
package guard
