// Package executors calls each executor by its own protocol, for the rooms that need it.
//
// It knows the dialect and the token of each address, and which executors had a lease
// before. It must never know what a call is for. Addresses and job words come in; calls
// of internal/wire/native and internal/wire/xxl go out.
package executors
