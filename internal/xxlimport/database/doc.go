// Package database reads the MySQL or MariaDB database of a Java server: XXL-JOB, or
// the one with Orth's name.
//
// It finds the tables by what they have, because names and columns differ between
// releases, forks and databases that were changed by hand, and reads one consistent
// snapshot of them, in pages, in a session that is read-only. The one thing that it ever
// writes is that jobs are stopped, when it is told to, with [Log.Stop]. It must never know
// a server or a document: rows go out, package legacy says what they mean.
package database
