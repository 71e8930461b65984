// Package jobs implements the commands that show jobs: orth job list, show, next, facets and
// history.
//
// It reads through the API and changes nothing but a job that is rolled back to a former
// revision. Package jobedit holds the flags of a definition.
package jobs
