package logformat

import (
	"strings"
	"time"
)

// Stamp returns the instant at the start of a line, behind a bracket or colours if
// there are some: 2006-01-02 15:04:05 with dashes or slashes, a blank or a T
// between date and time, parts of a second behind a dot or a comma, and a zone such
// as Z or +08:00. zone is the one of stamps that name none. It returns false when
// the line begins otherwise.
func Stamp(line string, zone *time.Location) (time.Time, bool) {
	for n := sgr(line); n > 0; n = sgr(line) {
		line = line[n:]
	}
	line = strings.TrimPrefix(line, "[")
	if len(line) < len("2006-01-02 15:04:05") || line[4] != '-' && line[4] != '/' || line[7] != line[4] ||
		line[10] != ' ' && line[10] != 'T' || line[13] != ':' || line[16] != ':' {
		return time.Time{}, false
	}
	var parts [6]int
	for i, place := range [...][2]int{{0, 4}, {5, 7}, {8, 10}, {11, 13}, {14, 16}, {17, 19}} {
		n, ok := digits(line[place[0]:place[1]])
		if !ok {
			return time.Time{}, false
		}
		parts[i] = n
	}
	year, month, day := parts[0], parts[1], parts[2]
	if month < 1 || month > 12 || parts[3] > 23 || parts[4] > 59 || parts[5] > 60 ||
		time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC).Day() != day { // such as the 31st of April
		return time.Time{}, false
	}
	nanos, rest := fraction(line[19:])
	if named, ok := offset(rest); ok {
		zone = named
	}
	return time.Date(year, time.Month(month), day, parts[3], parts[4], parts[5], nanos, zone), true
}

// digits reads a number of digits only.
func digits(text string) (n int, ok bool) {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return 0, false
		}
		n = n*10 + int(text[i]-'0')
	}
	return n, text != ""
}

// fraction reads the parts of a second at the start of text, as nanoseconds.
func fraction(text string) (nanos int, rest string) {
	if len(text) < 2 || text[0] != '.' && text[0] != ',' {
		return 0, text
	}
	end, unit := 1, int(time.Second)
	for end < len(text) && text[end] >= '0' && text[end] <= '9' {
		unit /= 10
		nanos += unit * int(text[end]-'0')
		end++
	}
	return nanos, text[end:]
}

// offset reads the zone at the start of text.
func offset(text string) (*time.Location, bool) {
	if strings.HasPrefix(text, "Z") {
		return time.UTC, true
	}
	text = strings.TrimPrefix(text, " ")
	if len(text) < 5 || text[0] != '+' && text[0] != '-' {
		return nil, false
	}
	sign, hours, minutes := 1, text[1:3], text[3:5]
	if text[0] == '-' {
		sign = -1
	}
	if text[3] == ':' && len(text) >= 6 {
		minutes = text[4:6]
	}
	h, okH := digits(hours)
	m, okM := digits(minutes)
	if !okH || !okM || h > 15 || m > 59 {
		return nil, false
	}
	return time.FixedZone("", sign*(h*3600+m*60)), true
}
