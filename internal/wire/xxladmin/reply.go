package xxladmin

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// The codes of answers, and the texts that the dialect has for them.
const (
	codeSuccess  = 200
	codeFailure  = 500
	codeTimeout  = 502
	textSuccess  = "Success"
	textInternal = "internal error: the log of the server tells more"
)

// page is a part of a list.
type page struct {
	offset, limit, total int
	rows                 any // a slice, never nil
}

// The envelopes of each generation.
type (
	tableReply struct {
		Code    int     `json:"code"`
		Msg     *string `json:"msg"`
		Content any     `json:"content"`
	}
	pageReply struct {
		Code    int     `json:"code"`
		Msg     *string `json:"msg"`
		Data    any     `json:"data"`
		Success bool    `json:"success"`
	}
	bothReply struct {
		Code    int     `json:"code"`
		Msg     *string `json:"msg"`
		Content any     `json:"content"`
		Data    any     `json:"data"`
	}
	tableRows struct {
		Total    int `json:"recordsTotal"`
		Filtered int `json:"recordsFiltered"`
		Data     any `json:"data"`
	}
	pageRows struct {
		Offset int `json:"offset"`
		Limit  int `json:"pagesize"`
		Total  int `json:"total"`
		Data   any `json:"data"`
	}
)

// success returns the answer to what was carried out. A list of a generation that is
// unknown has the older form.
func (g generation) success(payload any) any {
	if p, is := payload.(page); is {
		if g != pages {
			return tableRows{p.total, p.total, p.rows}
		}
		payload = pageRows{p.offset, p.limit, p.total, p.rows}
	}
	switch g {
	case tables:
		return tableReply{codeSuccess, nil, payload}
	case pages:
		return pageReply{codeSuccess, new(textSuccess), payload, true}
	default:
		return bothReply{codeSuccess, nil, payload, payload}
	}
}

// refusal returns the answer to what was not.
func (g generation) refusal(code int, text string) any {
	switch g {
	case tables:
		return tableReply{code, &text, nil}
	case pages:
		return pageReply{code, &text, nil, false}
	default:
		return bothReply{code, &text, nil, nil}
	}
}

// The forms of instants in rows: UTC and whole seconds, because the old admins keep no less
// in their databases. Scripts compare and cut these texts.
const (
	instantOfTables = "2006-01-02T15:04:05.000+00:00"
	instantOfPages  = "2006-01-02T15:04:05.000Z"
)

// stamp returns an instant as rows show it, nil for none.
func (g generation) stamp(at time.Time) *string {
	if at.IsZero() {
		return nil
	}
	form := instantOfTables
	if g == pages {
		form = instantOfPages
	}
	return new(at.UTC().Truncate(time.Second).Format(form))
}

// reply sends an answer of a known length. Texts are not escaped, as with the old admins:
// no browser takes JSON for a page.
func reply(w http.ResponseWriter, status int, answer any) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(answer); err != nil { // there is no such answer
		status = http.StatusServiceUnavailable
		text.Reset()
		text.WriteString(`{"code":500,"msg":"` + textInternal + `"}`)
	}
	body := bytes.TrimSuffix(text.Bytes(), []byte("\n"))
	w.Header().Set("Content-Type", "application/json;charset=UTF-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // A caller that is gone needs no answer.
}
