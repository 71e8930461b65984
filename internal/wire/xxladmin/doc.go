// Package xxladmin serves the web API of XXL-JOB's admin, releases 2.4 to 3.4, to the
// scripts that people have written against it: they log in, and list, create, change,
// start, stop, trigger and remove jobs and groups, and read the run log.
//
// It knows the paths, form fields, cookies and JSON shapes of each generation, and the
// dialect's names by way of package xxl. It decides nothing: reads ask rooms that show
// what the caller may see, and each change is a request of the server's own API, made
// by the caller. So rights, audit lines, limits and checks are those of the API.
//
//	script ─▶ form, generation, credential ─▶ Gate ─┬─▶ Jobs, Groups, Attempts (reads)
//	                                                └─▶ API (changes)
//
// It must never know SQL, rights, or what a session is made of.
package xxladmin
