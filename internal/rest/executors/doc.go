// Package executors has the operations about executors, their groups with tokens and
// addresses, and the servers of the database.
//
// It knows how these look in JSON. It must never know the wire of executors. A checked
// request comes from the guard, one question goes to the stores.
package executors
