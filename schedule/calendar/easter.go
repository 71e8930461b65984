package calendar

import "time"

// westernEaster returns the day number of Easter Sunday by the Gregorian
// reckoning: the anonymous algorithm of 1876 in the form of Jones and Meeus.
func westernEaster(year int) int {
	golden := year % 19
	century, rest := year/100, year%100
	correction := (century - (century+8)/25 + 1) / 3
	epact := (19*golden + century - century/4 - correction + 15) % 30
	weekday := (32 + 2*(century%4) + 2*(rest/4) - epact - rest%4) % 7
	late := (golden + 11*epact + 22*weekday) / 451
	return spring(year, epact+weekday-7*late)
}

// orthodoxEaster returns the day number of Easter Sunday by the Julian reckoning
// of the Orthodox churches, as Meeus gives it.
func orthodoxEaster(year int) int {
	epact := (19*(year%19) + 15) % 30
	weekday := (2*(year%4) + 4*(year%7) - epact + 34) % 7
	// The Julian calendar is so many days behind from March on.
	behind := year/100 - year/400 - 2
	return spring(year, epact+weekday+behind)
}

// spring returns the day number of March 22, the first day that Easter can be,
// and so many days later.
func spring(year, later int) int { return Date{year, time.March, 22}.number() + later }
