// Package cutover moves jobs from a running server of the XXL-JOB family to Orth.
//
// It compares the firings that the old server has logged with those that Orth would
// create, and cuts over a group: each job is enabled here when it is stopped there, so
// that no firing is lost and none happens twice. It changes jobs here through the API. It
// must not know flags, how results are printed, or how the old database is opened: the
// command line gives it a [Front] and an [OldServer].
package cutover
