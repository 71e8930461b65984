// Package schedule says when a job fires: cron (Quartz and Unix), fixed rate,
// fixed delay, a pace within a window of the day, once, several of these and
// manual, each in a zone; within bounds, on the days that calendars allow and
// with a jitter; and what becomes of firings that were missed.
//
// It knows the calendar, zones and daylight saving, and the arithmetic of missed
// firings. It must never know the time of day by itself: every question carries
// its instant. A [Spec] comes in as text from people and files, compiled calendars
// from whoever keeps them; instants go out to the planner and to previews.
//
// Other programs can use it alone: it imports the standard library and packages below
// schedule, and nothing else of Orth or of others.
//
// Zones come from the machine's zone database, or from time/tzdata when the
// program links it.
package schedule
