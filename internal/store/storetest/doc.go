// Package storetest is what every store of Orth must do, as tests.
//
// It knows the contract of store.Store and the legal moves of a run. It must
// never know SQL or a back end. A function that opens a store comes in; failed
// tests go out.
package storetest
