// Package database opens and examines the shared databases of servers for commands that work
// without a server.
//
// It knows the addresses of PostgreSQL and MySQL. It must not contain SQL, and knows no
// command.
package database
