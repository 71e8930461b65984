// Package calendar says which days are allowed: holidays, weekends, closing
// days, and the working days that make up for some of them.
//
// It knows dates and rules about dates. It must never know times of day, zones,
// schedules, or where rules come from. [Rules] come in from people, files and
// the shipped holiday data; a compiled [Calendar] answers about single days.
package calendar
