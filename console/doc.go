// Package console serves the web console, a single-page application.
//
// It handles the files, their caching headers and the content security policy.
// It does not depend on the content of the pages, the user or the API: all
// users get the same files. A path below [Prefix] returns a file, or else the
// page, which reads from its address what to show.
//
// The files are embedded as dist.zip, which is built from the sources in app
// (make console). They are served as stored in the archive: a gzip response is
// the deflated bytes with a header and a trailer, so nothing is compressed twice.
//
// The page refers to its files relative to a base address that is relative too.
// So it works below any path before [Prefix], including one that only a proxy adds.
package console
