package xxl

import (
	"net/http"
	"slices"
	"strings"

	"github.com/orthd/orth/internal/wire/jsontext"
	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
)

// visit is one request of an executor.
type visit struct {
	dialect job.Dialect // by how it calls; empty when that reveals none
	reply   *envelope
	caller  job.Caller
}

// visits recognizes executors by how they call.
type visits struct {
	replies map[job.Dialect]*envelope // of all dialects, and of the empty one
	forks   []fork
}

// fork is how the executors of a dialect that is not XXL-JOB's own are known.
type fork struct {
	dialect job.Dialect
	token   string // the header in which they show their token, as net/http files it
	context string // the path that they call, with a slash at each end
}

func newVisits(further []dialect.Speech) visits {
	v := visits{replies: map[job.Dialect]*envelope{"": newEnvelope(dialect.Classic().Payloads)}}
	for _, s := range append(dialect.Speeches(), further...) {
		v.replies[s.Dialect] = newEnvelope(s.Payloads)
	}
	for _, s := range further {
		v.forks = append(v.forks, fork{s.Dialect, http.CanonicalHeaderKey(s.TokenHeaders[0]), s.Context + "/"})
	}
	return v
}

// of returns the visit that a request is, without the caller.
func (v *visits) of(r *http.Request) visit {
	dialect := v.dialect(r)
	return visit{dialect: dialect, reply: v.replies[dialect]}
}

// The values that identify the Java executors: the Accept headers that they send.
const (
	charsetToThreeTwo = "application/json;charset=UTF-8" // up to 3.2
	charsetLater      = "UTF-8"
)

// dialect returns the dialect that a request reveals, empty when it reveals none.
func (v *visits) dialect(r *http.Request) job.Dialect {
	h := r.Header
	switch {
	case len(h[dialect.HeaderIncarnation]) > 0: // an executor of Orth, which understands all
		return job.DialectXXL
	case len(h[dialect.HeaderGroupCanonical]) > 0:
		return job.DialectXXL35
	}
	if len(h[dialect.HeaderTokenCanonical]) == 0 {
		path := "/" + strings.TrimLeft(r.URL.Path, "/")
		for _, f := range v.forks {
			if len(h[f.token]) > 0 || strings.HasPrefix(path, f.context) {
				return f.dialect
			}
		}
	}
	switch charset := h["Accept-Charset"]; {
	case slices.Contains(charset, charsetToThreeTwo):
		return job.DialectXXL2
	case slices.Contains(charset, charsetLater):
		return job.DialectXXL3
	}
	return ""
}

// refusal returns the text for a caller whose token is unknown here. Those from release 3.5
// on, which name their group, get their own words.
func (v *visit) refusal() string {
	if v.dialect == job.DialectXXL35 {
		return dialect.TextGroupWrong
	}
	return dialect.TextToken
}

// checkGroup reports, in the words of release 3.5, what is wrong with the group that a
// caller names. Callers from 3.5 on name one, and their token must be good for it. open: no
// caller needs a token.
func (v *visit) checkGroup(h http.Header, open bool) error {
	names := h[dialect.HeaderGroupCanonical]
	if len(names) == 0 {
		return nil
	}
	shown := h[dialect.HeaderTokenCanonical]
	switch {
	case dialect.Blank(names[0]), !open && (len(shown) == 0 || dialect.Blank(shown[0])):
		return job.Errorf(job.Refused, dialect.TextGroupEmpty)
	case v.caller.Speaks(names[0]) != nil:
		return job.Errorf(job.Refused, dialect.TextGroupWrong)
	}
	return nil
}

// envelope is the replies of a server in one dialect. Every field is named, with
// null for nothing, as servers of XXL-JOB do.
type envelope struct {
	success string
	rest    string // what follows the text of a refusal
}

func newEnvelope(payloads []string) *envelope {
	var nulls strings.Builder
	for _, name := range payloads {
		nulls.WriteString(`,"` + name + `":null`)
	}
	return &envelope{
		success: `{"code":200,"msg":"` + dialect.TextSuccess + `"` + nulls.String() + `,"success":true}`,
		rest:    nulls.String() + `,"success":false}`,
	}
}

// refusal returns the reply that refuses.
func (e *envelope) refusal(text string) string {
	return string(append(jsontext.AppendTextField(nil, `{"code":500,"msg":`, text), e.rest...))
}

func (e *envelope) deny(w http.ResponseWriter, text string) { answer(w, adminContent, e.refusal(text)) }
