package calendar

// Calendar is compiled Rules. It is immutable and safe for concurrent use.
type Calendar struct {
	allowed days
	known   Date

	// For Name alone.
	except   map[int]string // by day number, also days without a name
	dates    map[int]string // by day number, only days with a name
	ranges   []dayRange     // as they were listed, only those with a name
	yearly   []recurrence   // as they were listed, only those with a name
	weekdays [7]bool        // by time.Weekday
}

// dayRange is the days from first to last, both included, as day numbers.
type dayRange struct {
	first, last int
	name        string
}

// Allows reports whether the day is allowed. It allocates nothing. Days outside
// of the years that calendars know are allowed.
func (c *Calendar) Allows(d Date) bool {
	n := d.number()
	return n < firstDay || n > lastDay || c.allowed.has(n)
}

// Name returns the name of the occasion that a rule gives the day, and "" when
// there is none. Of several names it is the first: of Except, which keeps all
// others off the day, then of Dates, Ranges and Yearly in their order. A day that
// only Weekdays name is called by its weekday, such as "Saturday". Names do not
// tell whether the day is allowed. Its cost grows with Ranges and Yearly.
func (c *Calendar) Name(d Date) string {
	n := d.number()
	if n < firstDay || n > lastDay {
		return ""
	}
	if name, found := c.except[n]; found {
		return name
	}
	if name, found := c.dates[n]; found {
		return name
	}
	for _, s := range c.ranges {
		if s.first <= n && n <= s.last {
			return s.name
		}
	}
	for _, r := range c.yearly {
		if r.names(n, d.Year) {
			return r.name
		}
	}
	if weekday := weekdayOf(n); c.weekdays[weekday] {
		return weekday.String()
	}
	return ""
}

// NextAllowed returns the first allowed day that is not before d, and false when
// there is none in the years that calendars know. A day outside of these years is
// allowed, so it is its own answer. It allocates nothing.
func (c *Calendar) NextAllowed(d Date) (Date, bool) {
	n := d.number()
	if n < firstDay || n > lastDay {
		return d, true
	}
	next, found := c.allowed.nextDay(n)
	if !found {
		return Date{}, false
	}
	return dateOf(next), true
}

// KnownUntil returns the last day that the rules were made for; zero when they
// have no end.
func (c *Calendar) KnownUntil() Date { return c.known }
