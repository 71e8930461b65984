// Package daemon implements the commands that run a process of Orth: server, executor, dev and
// glue-js, and orth doctor, which examines them.
//
// It reads settings from flags, the environment and files, and hands them to packages app
// and executor. It must not decide about runs.
package daemon
