// Package console serves the web console: the pages that people look at.
//
// It knows files, how browsers keep them, and the content security policy of a
// page. It must never know what the pages show, who looks at them, or the API
// that they call: the files are the same for everybody. A request for a path
// below [Prefix] comes in; a file goes out, or the page itself, which finds in
// its address what it shows.
//
// The files are in dist.zip, which the sources in app are built into (make
// console). They go out as they lie in it: a gzip answer is the deflated bytes
// with a head and a tail, and nothing is compressed twice.
//
// The page names everything relative to a base that is relative itself. So it
// works at any path that stands before [Prefix], also when only a proxy knows it.
package console
