// Package backup archives a server's data folder, and settles a restored copy: what happens
// to slots, runs and numbers that are newer than the copy.
//
// An archive is a tar in zstd with the database, the keys, the logs and a manifest. The
// package does not know SQL, flags or terminals: the store is a set of interfaces. Settling
// returns a [Report].
package backup
