// Package queries answers what has become of jobs: lists, tables and ranks of jobs and
// runs, firings, timelines, statistics, the overview and the dashboards, explanations,
// revisions and logs. It is the window on the right end of the path.
//
// It knows how a question is checked and narrowed to the sight of the caller, and which
// answers are kept for a moment. It must never know HTTP, SQL or how jobs are changed: it
// writes nothing. Questions come in from the doors; answers go out.
package queries
