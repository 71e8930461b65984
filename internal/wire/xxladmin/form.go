package xxladmin

import (
	"bytes"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/orthd/orth/job"
)

// form is the parameters of a request. When a name appears twice, the first value counts,
// and the body comes before the address.
type form struct{ values url.Values }

// maxFields bounds the parameters of a request.
const maxFields = 200

// readForm reads the parameters from the address and from a body of at most so many
// bytes. Errors are Invalid and have an HTTP status of their own.
func readForm(w http.ResponseWriter, r *http.Request, most int64) (form, error) {
	values, err := parseForm(r.URL.RawQuery)
	if err != nil || r.Method != http.MethodPost {
		return form{values}, err
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	if err != nil {
		return form{}, malformed(http.StatusRequestEntityTooLarge, "the body is over %d KiB, or did not arrive", most>>10)
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch body = bytes.TrimSpace(body); {
	case len(body) == 0, err == nil && kind == "application/json" && string(body) == "{}":
		return form{values}, nil
	case err != nil || kind != "application/x-www-form-urlencoded":
		return form{}, malformed(http.StatusUnsupportedMediaType,
			"the body must be of the type application/x-www-form-urlencoded, as 'curl -d name=value' and HTML forms send it")
	}
	fields, err := parseForm(string(body))
	if err != nil {
		return form{}, err
	}
	for name, more := range values {
		fields[name] = append(fields[name], more...)
	}
	return form{fields}, nil
}

func parseForm(text string) (url.Values, error) {
	if n := strings.Count(text, "&"); n >= maxFields {
		return nil, malformed(http.StatusBadRequest, "it has %d parameters, at most %d are allowed", n+1, maxFields)
	}
	values, err := url.ParseQuery(text)
	if err != nil {
		return nil, malformed(http.StatusBadRequest, "the parameters are no form")
	}
	for name, all := range values {
		for _, value := range all {
			if !utf8.ValidString(name) || !utf8.ValidString(value) {
				return nil, malformed(http.StatusBadRequest, "the parameter %.40q is not UTF-8", name)
			}
		}
	}
	return values, nil
}

func malformed(status int, format string, args ...any) error {
	return statusError{status, job.Errorf(job.Invalid, "malformed request: "+format, args...)}
}

func (f *form) has(name string) bool { return f.values.Has(name) }

// trimmed returns the text of a parameter without blanks around it, empty when it is
// absent.
func (f *form) trimmed(name string) string { return strings.TrimSpace(f.values.Get(name)) }

// number returns a whole number, and otherwise when it is absent or empty. It refuses what
// does not fit 53 bits: scripts cannot distinguish such numbers.
func (f *form) number(name string, otherwise int64) (int64, error) {
	text := f.trimmed(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n > 1<<53 || n < -1<<53 {
		return 0, job.FieldErrorf(name, "%.40q is not a whole number", text)
	}
	return n, nil
}

// within returns a number between two.
func (f *form) within(name string, otherwise, low, high int) (int, error) {
	n, err := f.number(name, int64(otherwise))
	if err == nil && (n < int64(low) || n > int64(high)) {
		err = job.FieldErrorf(name, "%d is not between %d and %d", n, low, high)
	}
	return int(n), err
}

// objectID returns the one id that a change is about: of the field id, or, as releases from
// 3.3 on have it, of ids[].
func (f *form) objectID() (int64, error) {
	name := "id"
	if all := f.values["ids[]"]; len(all) > 0 {
		if len(all) > 1 || strings.Contains(all[0], ",") {
			return 0, job.FieldErrorf("ids[]", "names several, and one is changed at a time: send one request for each")
		}
		name = "ids[]"
	}
	n, err := f.number(name, 0)
	if err == nil && n <= 0 {
		err = job.FieldErrorf(name, "is missing: send the number that lists have as id")
	}
	return n, err
}

// The rows of a list: the default number, the furthest first row, and the most that can be
// asked for.
const (
	defaultRows = 10
	maxOffset   = 20_000
	maxAsked    = 1_000_000_000
)

// rows is which part of a list is asked for: limit rows from offset on, of which one
// answer holds most at most.
type rows struct{ offset, limit, most int }

// readRows reads which part is asked for, by the names of either generation.
func (f *form) readRows(most int) (rows, error) {
	first, size := "start", "length"
	if f.has("offset") || f.has("pagesize") {
		first, size = "offset", "pagesize"
	}
	offset, err := f.within(first, 0, 0, maxOffset)
	if err != nil {
		return rows{}, err
	}
	limit, err := f.within(size, defaultRows, 1, maxAsked)
	return rows{offset, limit, most}, err
}

// shown is how many rows one answer holds.
func (r rows) shown() int { return min(r.limit, r.most) }

// answerPage returns the answer with rows of a list that has so many in all. A script that
// asks for more than one answer holds, and that would miss some, is refused.
func (r rows) answerPage(found any, total int) (any, error) {
	if r.limit > r.most && total-r.offset > r.most {
		return nil, &job.Error{
			Kind: job.Invalid, Message: strconv.Itoa(total) + " rows are there, and one answer holds " + strconv.Itoa(r.most) + " at most",
			Hint: "ask for fewer with length, or pagesize, and for the others with start, or offset",
		}
	}
	return page{r.offset, r.limit, total, found}, nil
}
