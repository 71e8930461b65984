// Package deadletters finds, redrives and closes dead letters: runs that ended badly after
// their last attempt.
//
// It knows which dead letters a query means, and how many are redriven or closed in a
// transaction and in a second. It must never know HTTP, SQL or how a run is sent. Requests
// come in from the doors; rows go out, and a hint that a run waits.
package deadletters
