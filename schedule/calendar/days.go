package calendar

import (
	"math/bits"
	"time"
)

// A day number counts the days since 1970-01-01, which is 0. These are the first
// and the last day that calendars know.
const (
	firstDay = 0
	lastDay  = (MaxYear+1-MinYear)*365 + leapDays - 1
	leapDays = (MaxYear-1968)/4 - 1 // 1972, 1976 and so on, without 2100
)

const wordBits = 64

// days is a set of day numbers from firstDay to lastDay.
type days [(lastDay + wordBits) / wordBits]uint64

func (s *days) has(n int) bool { return s[n/wordBits]&(1<<(n%wordBits)) != 0 }

func (s *days) add(n int) { s[n/wordBits] |= 1 << (n % wordBits) }

func (s *days) remove(n int) { s[n/wordBits] &^= 1 << (n % wordBits) }

// addAll adds the days from first to last, both included.
func (s *days) addAll(first, last int) {
	from, to := first/wordBits, last/wordBits
	for i := from; i <= to; i++ {
		mask := ^uint64(0)
		if i == from {
			mask &= ^uint64(0) << (first % wordBits)
		}
		if i == to {
			mask &= ^uint64(0) >> (wordBits - 1 - last%wordBits)
		}
		s[i] |= mask
	}
}

// complement turns the set into all known days that are not in it.
func (s *days) complement() {
	for i := range s {
		s[i] = ^s[i]
	}
	s[len(s)-1] &= ^uint64(0) >> (wordBits - 1 - lastDay%wordBits)
}

// nextDay returns the first day of the set that is not before n.
func (s *days) nextDay(n int) (int, bool) {
	word := s[n/wordBits] & (^uint64(0) << (n % wordBits))
	for i := n / wordBits; ; word = s[i] {
		if word != 0 {
			return i*wordBits + bits.TrailingZeros64(word), true
		}
		if i++; i == len(s) {
			return 0, false
		}
	}
}

const secondsPerDay = 24 * 60 * 60

// number returns the day number of d, which is negative before 1970. A day that
// does not exist counts as time.Date reads it.
func (d Date) number() int { return int(d.midnight().Unix() / secondsPerDay) }

// dateOf returns the day of a day number.
func dateOf(number int) Date { return DateOf(time.Unix(int64(number)*secondsPerDay, 0).UTC()) }

// weekdayOf returns the weekday of a day number.
func weekdayOf(number int) time.Weekday {
	const epoch = int(time.Thursday)
	return time.Weekday((number%7 + 7 + epoch) % 7)
}
