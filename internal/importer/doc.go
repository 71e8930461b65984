// Package importer turns the tables of cron and the CronJobs of Kubernetes into
// documents of Orth.
//
// It knows both formats and what of them has a meaning here. It must never know a
// server, a database or a terminal: texts come in; documents, and in words what could
// not be taken over, with its line, go out.
package importer
