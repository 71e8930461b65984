// Package accounts has the operations about users: their grants, tokens and sessions, and how
// they sign in.
//
// It knows how these look in JSON, and the cookies of sessions. It must never know how a
// password or a token is checked. A checked request comes from the guard, one question goes
// to the stores.
package accounts
