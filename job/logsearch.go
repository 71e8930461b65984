package job

import "time"

// Limits of a search of logs.
const (
	MaxLogHits        = 1000
	MaxLogContext     = 20
	MaxLogSearchTime  = 30 * time.Second
	DefaultLogHits    = 100
	DefaultSearchTime = 5 * time.Second
)

// LogSearch selects lines of a log, and bounds the search.
type LogSearch struct {
	Text   string
	Regexp bool // Text is an expression of the RE2 syntax
	Fold   bool // capital and small letters match each other
	// From is the line that is tried first; zero means the first, or the last when
	// Backward is set.
	From     int
	Backward bool
	// Hits is how many are looked for, at most [MaxLogHits]; zero means
	// [DefaultLogHits].
	Hits int
	// Context is how many lines are wanted on either side of a hit, at most
	// [MaxLogContext].
	Context int
	// For is how long the search may take, at most [MaxLogSearchTime]; zero means
	// [DefaultSearchTime].
	For time.Duration
}

// Check reports what is wrong with the search, and fills what it leaves open.
func (s *LogSearch) Check() error {
	switch {
	case s.From < 0:
		return FieldErrorf("from", "%d is no line: the first line is 1", s.From)
	case s.Hits < 0 || s.Hits > MaxLogHits:
		return FieldErrorf("limit", "%d is not between 1 and %d", s.Hits, MaxLogHits)
	case s.Context < 0 || s.Context > MaxLogContext:
		return FieldErrorf("context", "%d is not between 0 and %d", s.Context, MaxLogContext)
	case s.For < 0 || s.For > MaxLogSearchTime:
		return FieldErrorf("for", "%s is not between 0 and %s", s.For, MaxLogSearchTime)
	}
	if s.Hits == 0 {
		s.Hits = DefaultLogHits
	}
	if s.For == 0 {
		s.For = DefaultSearchTime
	}
	return nil
}

// LogHit is a line that was found.
type LogHit struct {
	Run     int64
	Attempt int64 // id
	Number  int   // of the attempt; 1 for the first
	Line    int
	Text    string // without its end
	// Before and After are the lines around it.
	Before, After []string
}

// LogHits is what a search has found.
type LogHits struct {
	Hits []LogHit
	// Next is where to go on: a line of the log, or below which attempt of the job;
	// zero when there is nowhere to go.
	Next int64
	// Complete is set when everything that exists now was searched. Note is why not.
	Complete bool
	Note     string
	// Lines and Logs are how many were searched.
	Lines, Logs int
}

// JobLogSearch selects lines of the logs of a job's runs, the newest attempt first.
type JobLogSearch struct {
	LogSearch
	Job    int64
	Before int64 // only attempts with an id below this one; zero means all
	State  State // only runs in this state; empty means all
	// Since and Until are when the attempts were triggered; zero means any time.
	Since, Until time.Time
}
