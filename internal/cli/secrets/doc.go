// Package secrets implements orth secret: list, show, set and delete secrets, and show their use.
//
// A value is read from a file or from standard input, and never printed.
package secrets
