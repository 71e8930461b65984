// Package storage implements the commands for the data of a server: orth backup, restore and
// migrate.
//
// They work without a server and open the database as a server does. They must not
// contain SQL: package backup and the stores decide what is copied and settled.
package storage
