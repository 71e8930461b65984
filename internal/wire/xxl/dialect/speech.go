package dialect

import (
	"slices"
	"strings"

	"github.com/orthd/orth/job"
)

// Speech is one dialect of the family: the names and the texts that differ from dialect to
// dialect, and nothing that is the same in all. It is a value; its holders must not change
// what it points to.
type Speech struct {
	Dialect job.Dialect
	// Context is the default path of the dialect's servers in front of /api/, with a slash
	// in front and none behind; empty for none.
	Context string
	// RunPath is the path of an executor at which runs start.
	RunPath string
	// TokenHeaders carry the token, in the order in which they are sent and
	// in exactly this case. All of them carry the same.
	TokenHeaders []string
	// GroupHeader carries the key of the executor's group; empty for none.
	GroupHeader string
	// LogDates are the names of the instant in a request for a log, and
	// OutcomeDate is its name in an outcome.
	LogDates    []string
	OutcomeDate string
	// OutcomeList is the name of the list in the object that carries outcomes;
	// empty when they travel as the list itself.
	OutcomeList string
	// LogEnds are the names of the flag that a log's page is the last.
	LogEnds []string
	// Payloads are the names under which a server's reply has what it carries.
	Payloads []string
	// Concurrency: a task whose job may run several times at once carries how many times.
	Concurrency bool
	// Planned: every task carries that number, which is never 0 then, and its planned time.
	Planned bool
	// Answers are an executor's texts.
	Answers Answers
	// Ends are the texts of its outcomes.
	Ends Ends
}

// Answers are an executor's texts in one dialect. Servers show them, and some
// compare them.
type Answers struct {
	Method       string // the request is no POST
	PathEmpty    string
	PathUnknown  Phrase // with the path
	Token        string // the token is wrong
	Failed       string // begins every other error
	KindUnknown  Phrase // with the name of the kind of handler
	KindOff      Phrase // with the title of a kind that the operator does not allow
	NoHandler    Phrase // with the handler's name
	Discarded    string // the overlap discards the task
	Repeated     Phrase // with the attempt that the executor has already
	Busy         string // the job runs or waits
	NothingEnded string // to a kill of a job of which nothing is there
	Ended        string // to any other kill; empty for no text
	LogMissing   string // in place of a log that is not there
}

// Phrase is a text with one word in it that differs.
type Phrase struct{ Before, After string }

// With returns the whole text.
func (p Phrase) With(word string) string { return p.Before + word + p.After }

// Word returns the word in text, and false when text is not this phrase.
func (p Phrase) Word(text string) (string, bool) {
	rest, ok := strings.CutPrefix(text, p.Before)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(rest, p.After)
}

// Classic returns [job.DialectXXL]: what every executor and every server of the
// family up to 3.4 understands, and its Java fork too, because everything that
// has two names goes out under both.
func Classic() Speech {
	return Speech{
		Dialect:      job.DialectXXL,
		Context:      "/xxl-job-admin",
		RunPath:      PathRun,
		TokenHeaders: []string{HeaderForkToken, HeaderToken},
		LogDates:     []string{fieldDateShort, fieldDate},
		OutcomeDate:  fieldDateShort,
		LogEnds:      []string{"isEnd", "end"},
		Payloads:     []string{"data", "content"},
		Concurrency:  true,
		Answers: Answers{
			Method:       TextMethod,
			PathEmpty:    TextPathEmpty,
			PathUnknown:  Phrase{TextPathUnknown, TextPathUnknownEnd},
			Token:        TextToken,
			Failed:       TextRequestError,
			KindUnknown:  Phrase{"glueType[", "] is not valid."},
			KindOff:      Phrase{TextKindOff, TextKindOffEnd},
			NoHandler:    Phrase{"job handler [", "] not found."},
			Discarded:    textDiscard,
			Repeated:     Phrase{TextRepeat + ", logId:", ""},
			Busy:         TextBusy,
			NothingEnded: textKilledAlready,
			LogMissing:   "readLog fail, logFile not exists",
		},
		Ends: ClassicEnds(),
	}
}

// Speeches returns the dialects of XXL-JOB itself. Those of its forks are in
// packages of their own, which know this one.
func Speeches() []Speech {
	old := Classic()
	old.Dialect = job.DialectXXL2
	old.TokenHeaders = []string{HeaderToken}
	old.LogDates = []string{fieldDateShort}
	old.LogEnds = []string{"isEnd"}
	old.Payloads = []string{"content"}
	old.Concurrency = false
	old.Answers.Repeated.Before = TextRepeatOld + ", logId:"

	three := old
	three.Dialect = job.DialectXXL3
	three.Payloads = []string{"data"}
	three.Answers.Repeated = Classic().Answers.Repeated

	next := three
	next.Dialect = job.DialectXXL35
	next.Context = ""
	next.RunPath = PathTrigger
	next.GroupHeader = HeaderGroup
	next.LogDates = []string{fieldDate}
	next.OutcomeDate = fieldDate
	next.OutcomeList = "callbackList"
	return []Speech{Classic(), old, three, next}
}

// SpeechOf returns the dialect's speech among them, or else Classic's.
func SpeechOf(all []Speech, d job.Dialect) Speech {
	if i := slices.IndexFunc(all, func(s Speech) bool { return s.Dialect == d }); i >= 0 {
		return all[i]
	}
	return Classic()
}

// openList appends what stands in front of the outcomes of a callback.
func (s *Speech) openList(dst []byte) []byte {
	if s.OutcomeList != "" {
		dst = append(append(append(dst, `{"`...), s.OutcomeList...), `":`...)
	}
	return append(dst, '[')
}

// closeList appends what stands behind them.
func (s *Speech) closeList(dst []byte) []byte {
	if dst = append(dst, ']'); s.OutcomeList != "" {
		dst = append(dst, '}')
	}
	return dst
}

// Recognizes reports whether a reply is one of the dialect's texts.
func (s *Speech) Recognizes(r Reply) bool {
	a := &s.Answers
	if r.Code == CodeSuccess {
		return r.Is(a.Ended) || r.Is(a.NothingEnded)
	}
	for _, phrase := range []Phrase{a.PathUnknown, a.KindUnknown, a.NoHandler, a.Repeated} {
		if _, ok := phrase.Word(r.Text); ok {
			return true
		}
	}
	return slices.Contains([]string{a.Method, a.PathEmpty, a.Discarded, a.Busy}, r.Text)
}
