package errorline

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/orthd/orth/internal/logformat"
	"github.com/orthd/orth/job"
)

const (
	// MaxLine is the maximum length of a returned line in characters.
	MaxLine = 500
	// cutMark ends a shortened line.
	cutMark = "…"
	// behindTrace is the maximum number of lines after a stack trace that may belong to it.
	behindTrace = 8
	// lookBack is the number of final lines among which an error is preferred.
	lookBack = 20
)

// Line returns the line that explains the failure of the program: one line of at most
// [MaxLine] characters, "" for empty output. The output must be complete.
func (t *Tail) Line() string {
	t.endLine()
	kept := t.ordered()
	texts := make([]string, 0, len(kept)+1)
	for i := range kept {
		texts = append(texts, string(kept[i].text))
	}
	// Redact all lines together: a private key spans several.
	masked := strings.Split(t.mask(strings.Join(append(texts, string(t.inner)), "\n")), "\n")
	lines := make([]line, len(kept))
	for i := range kept {
		lines[i] = line{text: plain(masked[i]), traced: kept[i].traced, named: kept[i].named}
	}
	chosen := choose(lines)
	if chosen == "" {
		chosen = plain(masked[len(masked)-1])
	}
	return OneLine(chosen)
}

// OneLine formats a text like [Tail.Line]: one line of at most [MaxLine] characters.
func OneLine(text string) string { return job.CleanTo(plain(text), MaxLine, cutMark) }

// plain returns a text as one line without escape sequences, control characters and
// bidirectional formatting characters.
func plain(text string) string {
	text = logformat.StripANSI(strings.ToValidUTF8(text, "\uFFFD"))
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
	}), " ")
}

// line is a candidate of [choose].
type line struct {
	text          string
	traced, named bool // see keptLine
}

// choose returns the most informative line, "" when there is none.
func choose(lines []line) string {
	if head := traceHead(lines); head != "" {
		return head
	}
	last, seen := "", 0
	for i := len(lines) - 1; i >= 0 && seen < lookBack; i-- {
		text := lines[i].text
		switch {
		case isHint(text):
			continue
		case !xtrace.MatchString(text) && reportsError(text):
			return text
		}
		last = firstOf(last, text)
		seen++
	}
	return firstOf(last, lastText(lines))
}

func firstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

func lastText(lines []line) string {
	if len(lines) == 0 {
		return ""
	}
	return lines[len(lines)-1].text
}

// traceHead returns the line of the last stack trace that names the error, "" without a
// trace or when more than behindTrace lines follow it.
func traceHead(lines []line) string {
	var s traceScan
	for i := range lines {
		s.readLine(&lines[i])
	}
	return s.head
}

// traceScan scans lines in order and keeps the head of the last stack trace.
type traceScan struct {
	head   string
	left   int    // lines that may still follow the head
	before string // last candidate for a head
	python bool   // inside a Python trace, whose error follows
	golang bool   // inside a Go trace, whose error precedes it
}

func (s *traceScan) readLine(l *line) {
	text := l.text
	switch {
	case text == "" || isHint(text):
	case text == "Traceback (most recent call last):":
		s.python = true
	case s.python:
		s.python = false
		s.takeHead(text)
	case goroutine.MatchString(text):
		s.golang = true
		s.takeHead(s.before)
	case s.golang && goFrame.MatchString(text):
	case text == "Stack trace:": // PHP
		s.takeHead(s.before)
	case l.named, javaHead.MatchString(text), l.traced && (s.left == 0 || exception.MatchString(text)):
		s.takeHead(text)
	default:
		s.golang = false
		s.before = text
		if s.left--; s.left <= 0 {
			s.head, s.left = "", 0
		}
	}
}

func (s *traceScan) takeHead(head string) {
	s.head, s.left, s.before = head, behindTrace, head
}

var (
	javaHead  = regexp.MustCompile(`^(Exception in thread ".*" |Caused by: )`)
	exception = regexp.MustCompile(`^(Uncaught |Unhandled exception\. )?([\w$]+[.\\])*[\w$]*(Exception|Error|Throwable)\b`)
	goroutine = regexp.MustCompile(`^goroutine \d+( .*)?\[.*\]:$`)
	goFrame   = regexp.MustCompile(`^(created by .*|[^ ]+\(.*\)|exit status \d+)$`)
	// xtrace matches a line of set -x.
	xtrace = regexp.MustCompile(`^\++ `)
	// hint matches lines that tools print below an error, and the last steps of set -x.
	hint = regexp.MustCompile(`^(Node\.js v|note: run with .RUST_BACKTRACE|\(Background on this error at:|(?i:hint):|(DETAIL|CONTEXT|STATEMENT|LINE \d+):|` +
		`stack backtrace:|npm (ERR!|error) A complete log|The above exception was|During handling of the above|For more information|\[signal |` +
		`See '|Run '|Try .*--help|[Uu]sage:|#\d+ |\++ (exit|return|trap|set|rc=|status=))`)
	// quiet matches a log line below the level error.
	quiet = regexp.MustCompile(`^(\S+ ){0,4}[\[(]?(TRACE|DEBUG|INFO|NOTICE|WARN|WARNING)\b|(?i)^(warning|info|note|debug)\b`)
	// none matches a count of zero errors.
	none = regexp.MustCompile(`(?i)\b(0|no|without) (errors?|failures?|failed|fatal)\b|\b(errors?|failures?|failed)\b ?[:=] ?0\b`)
	// errorWord matches words of lines that report an error.
	errorWord = regexp.MustCompile(`(?i)\b(err|error|errors|fatal|panic|panicked|exception|fail|failed|failure|failing|cannot|can't|can not|could not|couldn't|` +
		`unable to|denied|refused|forbidden|unauthorized|rejected|not found|no such|not permitted|not allowed|unreachable|timed out|timeout|invalid|` +
		`unexpected|unrecognized|undefined|abort|aborted|aborting|killed|terminated|segmentation fault|core dumped|out of memory|no space left|` +
		`unknown (option|command|host|flag|database|user)|bad (substitution|gateway|request|option))\b|[A-Za-z](Error|Exception)\b`)
)

// reportsError reports whether a line reports an error.
func reportsError(text string) bool {
	return errorWord.MatchString(text) && !quiet.MatchString(text) && !none.MatchString(text)
}

// isHint reports whether a line only supplements an error in another line.
func isHint(text string) bool {
	if !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return true // a caret, a brace or a ruler
	}
	return hint.MatchString(text)
}
