// Package documents carries manifests between files and a server: it prints and applies a plan,
// and writes exported manifests.
//
// Package manifest decides what a plan contains, and package reconcile reads and changes
// the server. Here are the questions, the progress and the errors of the command line.
package documents
