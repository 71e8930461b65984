// Package queues implements orth queue: the tasks and outcomes that an executor keeps on this
// machine.
//
// It asks the executor of a data folder, or opens the folder when no executor runs. It
// calls no server.
package queues
