// Package importer converts crontabs and CronJobs of Kubernetes to documents of Orth.
//
// It knows both formats and which parts have a meaning here. It does not know servers,
// databases or terminals. It takes texts, and returns documents and notes with line numbers
// about what it could not convert.
package importer
