package main

import (
	"slices"
	"strconv"
	"strings"
)

// feature is a part of the Quartz dialect that not every library promises.
type feature string

const (
	years       feature = "a year"
	last        feature = "L"
	lastWorkday feature = "LW"
	fromLast    feature = "L-3"
	workday     feature = "15W"
	lastOfWeek  feature = "6L"
	nth         feature = "6#3"
	wrap        feature = "22-2"
	bareSlash   feature = "/15"
	listed      feature = "(L or W in a list)"
	small       feature = "lw"
)

// features lists what an expression asks of a library beyond lists, ranges, steps
// and names.
func features(expr string) (found []feature) {
	fields := strings.Fields(strings.ToUpper(expr))
	if original := strings.Fields(expr); len(original) > 3 && strings.ContainsAny(original[3], "lw") {
		found = append(found, small)
	}
	if len(fields) > 6 {
		found = append(found, years)
	}
	for i, field := range fields {
		terms := strings.Split(field, ",")
		for _, term := range terms {
			some := termFeatures(term, i)
			if len(terms) > 1 && slices.ContainsFunc(some, func(f feature) bool { return f != wrap && f != bareSlash }) {
				some = append(some, listed)
			}
			found = append(found, some...)
		}
	}
	return found
}

func termFeatures(term string, field int) (found []feature) {
	const date, week = 3, 5
	if strings.HasPrefix(term, "/") {
		found = append(found, bareSlash)
	}
	isLast := field == date && strings.HasPrefix(term, "L")
	switch {
	case isLast && term == "L":
		found = append(found, last)
	case isLast && strings.HasPrefix(term, "L-"):
		found = append(found, fromLast)
		if strings.HasSuffix(term, "W") { // no library promises it, and none is asked
			found = append(found, listed, lastWorkday)
		}
	case isLast:
		found = append(found, lastWorkday)
	case field == date && strings.HasSuffix(term, "W"):
		found = append(found, workday)
	case field == week && strings.Contains(term, "#"):
		found = append(found, nth)
	case field == week && strings.HasSuffix(term, "L"):
		found = append(found, lastOfWeek)
	case wraps(term):
		found = append(found, wrap)
	}
	return found
}

// wraps reports whether a term is a range that goes over the end of its field.
func wraps(term string) bool {
	span, _, _ := strings.Cut(term, "/")
	from, to, ranged := strings.Cut(span, "-")
	return ranged && number(from) > number(to)
}

func number(text string) int {
	for _, names := range []string{"JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC", "SUNMONTUEWEDTHUFRISAT"} {
		if i := strings.Index(names, text); i >= 0 && i%3 == 0 {
			return i / 3
		}
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}

// promises reports whether the library's documentation promises all that an
// expression asks for.
func (l library) promises(expr string) bool {
	return !slices.ContainsFunc(features(expr), func(f feature) bool { return slices.Contains(l.lacks, f) })
}
