// Package storetest is what every store of Orth must do, as tests.
//
// It knows the contract of store.Store, the legal moves of a run, and the tables that
// tests of whole databases fill or compare. It must never know a driver. A function
// that opens a store comes in; failed tests go out.
package storetest
