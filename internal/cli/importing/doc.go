// Package importing implements orth import and orth shadow: what other schedulers have becomes
// manifests, or jobs of a server.
//
// Packages importer and xxlimport know the files and databases of other schedulers.
// Here are the flags, the questions and the report.
package importing
