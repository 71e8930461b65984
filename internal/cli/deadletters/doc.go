// Package deadletters implements orth dead-letter: list, show, retry and close dead letters.
//
// It knows dead letters through the API only.
package deadletters
