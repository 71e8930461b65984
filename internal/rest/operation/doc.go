// Package operation describes, reads and answers requests of one operation of the API.
//
// It knows HTTP, JSON and the OpenAPI document. It must never know who calls, what is
// stored, or which operations there are.
//
//	request ─▶ parameters and body ─▶ schema ─▶ input ─▶ function ─▶ output ─▶ answer
//
// It does what huma.Register does, for the parts of huma that this API uses, without code
// for each type (docs/decisions/binary-size.md).
package operation
