// Package backup keeps copies of a server's data folder, and says what a copy that is
// put back means for what happened after it was made.
//
// It knows the archive: a tar in zstd with the database, the keys, the logs and an
// account of it all; and what becomes of slots, runs and numbers that the copy cannot
// know of. It must never know SQL, a flag or a terminal: the store is interfaces.
// Files and a store come in; an archive, and a [Report], go out.
package backup
