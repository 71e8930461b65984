// Package xxlimport converts exports and databases of XXL-JOB and of the Java Orth to
// documents of Orth.
//
// It knows their formats and names, which appear nowhere else. It does not know servers,
// databases or terminals. It takes texts and rows, and returns documents and findings about
// what it could not convert.
package xxlimport
