package guard

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/rest/operation"
	"github.com/orthd/orth/job"
)

// The answers that all operations share, in the document.
const (
	answerBusy = "Busy"
	answerAway = "Away"
	answersRef = "#/components/responses/"
)

// sharedAnswers are those that each operation may give.
func sharedAnswers() map[string]*huma.Response {
	problem := map[string]*huma.MediaType{api.ProblemType: {Schema: &huma.Schema{Ref: operation.Schemas + "Problem"}}}
	wait := map[string]*huma.Param{headerRetry: {
		Description: "After how many seconds to ask again.", Schema: &huma.Schema{Type: huma.TypeInteger},
	}}
	return map[string]*huma.Response{
		answerBusy: {Description: "Too many requests came, or a limit is reached.", Headers: wait, Content: problem},
		answerAway: {Description: "The server, or a part that it needs, is away for a moment.", Headers: wait, Content: problem},
	}
}

// operationsOf calls fn for all operations of the document.
func (g *Guard) operationsOf(fn func(*huma.Operation)) {
	for _, item := range g.api.OpenAPI().Paths {
		for _, op := range []*huma.Operation{item.Get, item.Put, item.Post, item.Delete, item.Patch} {
			if op != nil {
				fn(op)
			}
		}
	}
}

// offer puts into the document how the operation can be asked to be carried out.
func (o *Op) offer(op *huma.Operation) {
	add := func(in, name, about string, schema *huma.Schema) {
		op.Parameters = append(op.Parameters, &huma.Param{Name: name, In: in, Description: about, Schema: schema})
	}
	text := &huma.Schema{Type: huma.TypeString}
	if o.shows() {
		add("header", "If-None-Match", "The ETag of an answer that you have: 304 when it is still the same.", text)
	}
	if o.Method == http.MethodPost && o.Right != Open {
		most := maxOnceKey
		add("header", headerOnce, "A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect "+
			"a second time: you get the answer to the first.", &huma.Schema{Type: huma.TypeString, MaxLength: &most})
	}
	if o.Policy.Dry {
		add("query", queryDry, "Check everything and change nothing: the answer, with the status 200, is what would be.", &huma.Schema{Type: huma.TypeBoolean})
	}
	if o.Policy.Noted {
		most := job.MaxNote
		add("query", queryNote, "A note about the change: one line, kept with the revision of the job that it makes.",
			&huma.Schema{Type: huma.TypeString, MaxLength: &most})
	}
	if o.matches() {
		add("header", "If-Match", "The ETag that the object was read with, or *: 412 when it was changed since.", text)
	}
}

// answers declares what the operation answers in ways that it knows nothing of itself.
func (o *Op) answers(op *huma.Operation) {
	op.Responses[strconv.Itoa(http.StatusTooManyRequests)] = &huma.Response{Ref: answersRef + answerBusy}
	op.Responses[strconv.Itoa(http.StatusServiceUnavailable)] = &huma.Response{Ref: answersRef + answerAway}
	if o.shows() {
		tag := map[string]*huma.Param{"ETag": {Description: "The version of the object, for If-Match, and of the answer, for If-None-Match.", Schema: &huma.Schema{Type: huma.TypeString}}}
		op.Responses[strconv.Itoa(http.StatusNotModified)] = &huma.Response{Description: "The answer of If-None-Match is still the same.", Headers: tag}
		if fine := op.Responses[strconv.Itoa(http.StatusOK)]; fine != nil {
			fine.Headers = tag
		}
	}
	if o.Policy.Dry && op.Responses[strconv.Itoa(http.StatusOK)] == nil {
		would := &huma.Response{Description: "With " + queryDry + ": nothing was changed, and this would be the result."}
		if made := op.Responses[strconv.Itoa(http.StatusCreated)]; made != nil {
			would.Content = made.Content
		}
		op.Responses[strconv.Itoa(http.StatusOK)] = would
	}
}

// explained returns the description with who may use the operation, and what the audit log
// records.
func (o *Op) explained() string {
	var said []string
	if o.Description != "" {
		said = append(said, o.Description)
	}
	switch o.Right {
	case Open:
		said = append(said, "It needs no credential.")
	case Self:
		said = append(said, "Every valid credential is accepted: it concerns only the caller.")
	default:
		said = append(said, "It needs the right "+string(o.Right)+" on the object.")
	}
	if o.Method != http.MethodGet {
		if o.Policy.Acts {
			said = append(said, "It also acts outside of the database, so it has no dry run.")
		}
		said = append(said, "The audit log records each change.")
	}
	return strings.Join(said, " ")
}
