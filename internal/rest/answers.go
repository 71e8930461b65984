package rest

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/orthd/orth/api"
)

// The answers that all operations share, in the document.
const (
	answerBusy = "Busy"
	answerAway = "Away"
	answersRef = "#/components/responses/"
)

// sharedAnswers are those that each operation may give.
func sharedAnswers() map[string]*huma.Response {
	problem := map[string]*huma.MediaType{api.ProblemType: {Schema: &huma.Schema{Ref: schemas + "Problem"}}}
	wait := map[string]*huma.Param{headerRetry: {
		Description: "After how many seconds to ask again.", Schema: &huma.Schema{Type: huma.TypeInteger},
	}}
	return map[string]*huma.Response{
		answerBusy: {Description: "Too many requests came, or a limit is reached.", Headers: wait, Content: problem},
		answerAway: {Description: "The server, or a part that it needs, is away for a moment.", Headers: wait, Content: problem},
	}
}

// operationsOf calls fn for all operations of the document.
func (s *server) operationsOf(fn func(*huma.Operation)) {
	for _, item := range s.api.OpenAPI().Paths {
		for _, op := range []*huma.Operation{item.Get, item.Put, item.Post, item.Delete, item.Patch} {
			if op != nil {
				fn(op)
			}
		}
	}
}

// answers declares what an operation answers in ways that it knows nothing of itself.
func (s *server) answers(op *huma.Operation) {
	op.Responses[strconv.Itoa(http.StatusTooManyRequests)] = &huma.Response{Ref: answersRef + answerBusy}
	op.Responses[strconv.Itoa(http.StatusServiceUnavailable)] = &huma.Response{Ref: answersRef + answerAway}
	if _, is := s.tags[op.OperationID]; is && op.Method == http.MethodGet {
		tag := map[string]*huma.Param{"ETag": {Description: "The version of the object, for If-Match, and of the answer, for If-None-Match.", Schema: &huma.Schema{Type: huma.TypeString}}}
		op.Responses[strconv.Itoa(http.StatusNotModified)] = &huma.Response{Description: "The answer of If-None-Match is still the same.", Headers: tag}
		if fine := op.Responses[strconv.Itoa(http.StatusOK)]; fine != nil {
			fine.Headers = tag
		}
	}
	if s.conducts[op.OperationID].dry && op.Responses[strconv.Itoa(http.StatusOK)] == nil {
		would := &huma.Response{Description: "With " + queryDry + ": nothing was changed, and this would be the result."}
		if made := op.Responses[strconv.Itoa(http.StatusCreated)]; made != nil {
			would.Content = made.Content
		}
		op.Responses[strconv.Itoa(http.StatusOK)] = would
	}
}

// explainRule adds to the description of an operation who may use it, and what the audit
// log records.
func (s *server) explainRule(op *huma.Operation) {
	r := s.rights[op.OperationID]
	var said []string
	if op.Description != "" {
		said = append(said, op.Description)
	}
	switch r.right {
	case open:
		said = append(said, "It needs no credential.")
	case self:
		said = append(said, "Every valid credential is accepted: it concerns only the caller.")
	default:
		said = append(said, "It needs the right "+string(r.right)+" on the object.")
	}
	if op.Method != http.MethodGet {
		if c, known := s.conducts[op.OperationID]; known && c.acts {
			said = append(said, "It also acts outside of the database, so it has no dry run.")
		}
		said = append(said, "The audit log records each change.")
	}
	op.Description = strings.Join(said, " ")
}
