// Package pauses implements orth pause and orth resume.
//
// It translates flags into requests of the API. The server decides which firings a pause
// holds.
package pauses
