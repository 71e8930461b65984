package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/orthd/orth/job"
)

// handler returns what carries a tool out. stands is the operation that shows what it
// is about; it has no id when there is none. Whatever goes wrong is the result of the
// tool, which assistants read, and no error of the protocol.
func (s *Server) handler(t tool, op, stands operation) sdk.ToolHandler {
	return func(ctx context.Context, request *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		done, err := s.acquirePlace(ctx)
		if err != nil {
			return refusal(err), nil
		}
		defer done()
		a, err := readArguments(request.Params.Arguments)
		if err != nil {
			return refusal(err), nil
		}
		var texts []string
		switch {
		case t.consent:
			texts, err = s.confirmed(ctx, t, op, stands, a)
		case t.writes:
			texts, err = s.change(ctx, t, op, a, "")
		default:
			texts, err = s.readPages(ctx, op, a)
		}
		if err != nil {
			return refusal(err), nil
		}
		result := &sdk.CallToolResult{}
		for _, text := range texts {
			result.Content = append(result.Content, &sdk.TextContent{Text: text})
		}
		return result, nil
	}
}

// acquirePlace waits for a place among the calls that work. Too many that wait are refused.
func (s *Server) acquirePlace(ctx context.Context) (done func(), err error) {
	select {
	case s.places <- struct{}{}:
	default:
		return nil, &job.Error{Kind: job.Full, Message: "too many calls wait for their turn", Hint: "call again when some have ended"}
	}
	select {
	case s.turns <- struct{}{}:
		return func() { <-s.turns; <-s.places }, nil
	case <-ctx.Done():
		<-s.places
		return nil, job.Errorf(job.Unreachable, "the call was given up: %w", context.Cause(ctx))
	}
}

// refusal returns an error as an assistant reads it.
func refusal(err error) *sdk.CallToolResult {
	text := err.Error()
	if known, ok := errors.AsType[*job.Error](err); ok {
		text = string(known.Kind) + ": " + text
		if known.Hint != "" {
			text += "\n" + known.Hint
		}
	}
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}

// preview is the answer to the first call of what must be confirmed.
type preview struct {
	Note    string          `json:"note"`
	Confirm string          `json:"confirm"`
	Until   time.Time       `json:"until"`
	Request string          `json:"request"`
	Stands  json.RawMessage `json:"stands,omitempty"`   // what it is about, as it is
	WouldBe json.RawMessage `json:"would_be,omitempty"` // what the server says to a dry run
}

// confirmed shows what would happen, or does it when the call has the code for that.
func (s *Server) confirmed(ctx context.Context, t tool, op, stands operation, a arguments) ([]string, error) {
	code, err := a.takeConfirm()
	if err != nil {
		return nil, err
	}
	canonical, err := a.canonical()
	if err != nil {
		return nil, err
	}
	what := about(t.toolName(), canonical)
	if code != "" {
		tag, err := s.consents.redeem(code, what)
		if err != nil {
			return nil, err
		}
		return s.change(ctx, t, op, a, tag)
	}
	wanted, err := a.newCall(op, s.config.Namespace)
	if err != nil {
		return nil, err
	}
	shown := preview{
		Note:    "Nothing has happened yet. Show this to the person you work for. When they agree, call again with the same arguments and this code as confirm.",
		Request: wanted.method + " " + wanted.path,
	}
	tag := ""
	if stands.ID != "" {
		reading, err := a.supportedBy(stands).newCall(stands, s.config.Namespace)
		if err != nil {
			return nil, err
		}
		said, err := s.link.doCall(ctx, reading)
		if err != nil {
			return nil, err
		}
		shown.Stands, tag = shorter(said.text, maxResult/3), said.tag
	}
	if op.hasParam(inQuery, queryDry) {
		wanted.query.Set(queryDry, "true")
		wanted.header.Del(headOnce)
		said, err := s.link.doCall(ctx, wanted)
		if err != nil {
			return nil, err
		}
		shown.WouldBe = shorter(said.text, maxResult/3)
	}
	if !op.hasParam(inHeader, headMatch) {
		tag = ""
	}
	shown.Confirm, shown.Until = s.consents.openConsent(what, tag)
	shown.Until = shown.Until.UTC().Truncate(time.Millisecond)
	text, err := json.Marshal(shown)
	if err != nil {
		return nil, job.Errorf(job.Internal, "write what would happen: %w", err)
	}
	return []string{string(text)}, nil
}

// change carries out what changes something. With a tag it is refused when the thing
// has changed since it was shown.
func (s *Server) change(ctx context.Context, t tool, op operation, a arguments, tag string) ([]string, error) {
	wanted, err := a.newCall(op, s.config.Namespace)
	if err != nil {
		return nil, err
	}
	if tag != "" {
		wanted.header.Set(headMatch, tag)
	}
	said, err := s.link.doCall(ctx, wanted)
	s.config.Logger.Info("tool called", "tool", t.toolName(), "method", wanted.method, "path", wanted.path, "done", err == nil)
	switch {
	case err != nil:
		return nil, err
	case len(said.text) == 0:
		return []string{"Done."}, nil
	}
	return bounded(said.text), nil
}
