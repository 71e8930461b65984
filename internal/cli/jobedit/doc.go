// Package jobedit implements orth job create, edit and copy: the flags of a job and of its
// parts, and the patch that they make.
//
// It translates flags into requests of the API. The server decides what a job may be.
package jobedit
