// Package jobaction implements the commands that act on jobs: enable, disable, trigger, try,
// delete and bulk.
//
// It asks the server for a change and reports the result. It defines no field of a job.
package jobaction
