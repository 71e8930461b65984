package cron

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/cli/timing"
	"github.com/orthd/orth/schedule"
)

// maxQuestion is the maximum size of a batch line in bytes.
const maxQuestion = 64 << 10

// batchLine is a question of a batch. Flags provide the defaults of missing fields.
type batchLine struct {
	Expr  *string `json:"expr"`
	Zone  *string `json:"zone"`
	From  *string `json:"from"`
	Count *int    `json:"count"`
	DST   *string `json:"dst"`
}

// errLongLine reports a line longer than maxQuestion.
var errLongLine = fmt.Errorf("the line is longer than %d KiB: write one question per line", maxQuestion>>10)

// answerBatch answers the questions on standard input until it ends, one line per answer,
// in order. Answers are buffered only while more questions are already available.
func answerBatch(ctx context.Context, t *kit.Tool, flags *question, zones timing.Zones) error {
	if err := checkCount(flags.count); err != nil {
		return timing.ExplainCronError("", err)
	}
	if _, err := timing.ParseDST(flags.dst); err != nil {
		return timing.ExplainCronError("", err)
	}
	if _, err := zones.Load(flags.zone); err != nil {
		return timing.ExplainCronError("", err)
	}
	in := bufio.NewReaderSize(t.Stdin, maxQuestion+2) // a line, "\r" and "\n"
	out := bufio.NewWriterSize(t.Stdout, 64<<10)
	var answer []byte
	for ctx.Err() == nil {
		line, err := readQuestion(in)
		if errors.Is(err, io.EOF) {
			return out.Flush()
		}
		if err != nil && !errors.Is(err, errLongLine) {
			return fmt.Errorf("read questions: %w", errors.Join(err, out.Flush()))
		}
		answer = answer[:0]
		if err == nil {
			answer, err = answerLine(answer, line, *flags, zones)
		}
		if err != nil {
			answer = appendFault(answer[:0], err)
		}
		_, _ = out.Write(append(answer, '\n')) // Flush reports the error
		if in.Buffered() == 0 {
			if err := out.Flush(); err != nil {
				return fmt.Errorf("write answers: %w", err)
			}
		}
	}
	return errors.Join(ctx.Err(), out.Flush())
}

// readQuestion reads a line, valid until the next call. It consumes a line that is too
// long and returns errLongLine. It returns io.EOF at the end of the input.
func readQuestion(in *bufio.Reader) ([]byte, error) {
	line, err := in.ReadSlice('\n')
	long := errors.Is(err, bufio.ErrBufferFull)
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = in.ReadSlice('\n')
	}
	if err != nil && (!errors.Is(err, io.EOF) || len(line) == 0) {
		return nil, err
	}
	line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	if long || len(line) > maxQuestion {
		return nil, errLongLine
	}
	return line, nil
}

// answerLine appends the answer to a question.
func answerLine(answer, line []byte, q question, zones timing.Zones) ([]byte, error) {
	if err := q.read(line); err != nil {
		return nil, err
	}
	if err := checkCount(q.count); err != nil {
		return nil, err
	}
	a, err := q.answer(zones, time.Now())
	if _, ok := errors.AsType[*schedule.Error](err); ok {
		return nil, fmt.Errorf("expr: %w", err)
	} else if err != nil {
		return nil, err
	}
	answer = append(answer, '[')
	at := a.from
	for i := range q.count {
		next, ok := a.when.Next(at)
		if !ok {
			break
		}
		if i > 0 {
			answer = append(answer, ',')
		}
		answer = append(next.AppendFormat(append(answer, '"'), time.RFC3339Nano), '"')
		at = next
	}
	return append(answer, ']'), nil
}

// read applies the fields of a line.
func (q *question) read(line []byte) error {
	if len(bytes.TrimSpace(line)) == 0 {
		return errors.New(`empty line: write a question such as {"expr":"0 30 2 * * ?"}`)
	}
	var l batchLine
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&l); err != nil {
		return lineFault(err)
	}
	if len(bytes.TrimSpace(line[dec.InputOffset():])) > 0 {
		return fmt.Errorf("unexpected text at byte %d of the line: write one question per line", dec.InputOffset()+1)
	}
	if l.Expr == nil {
		return errors.New(`expr is required, such as "0 30 2 * * ?"`)
	}
	q.expr = *l.Expr
	for _, pair := range [...]struct{ to, from *string }{{&q.zone, l.Zone}, {&q.from, l.From}, {&q.dst, l.DST}} {
		if pair.from != nil {
			*pair.to = *pair.from
		}
	}
	if l.Count != nil {
		q.count = *l.Count
	}
	return nil
}

// lineFault describes why a line is not a question.
func lineFault(err error) error {
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return fmt.Errorf("unknown field %s: the fields are expr, zone, from, count and dst", name)
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		want := "a string"
		switch wrong.Field {
		case "count":
			want = "a whole number"
		case "":
			return fmt.Errorf(`the line contains a JSON %s: write a question such as {"expr":"0 30 2 * * ?"}`, wrong.Value)
		}
		return fmt.Errorf("%s: must be %s, got a JSON %s", wrong.Field, want, wrong.Value)
	}
	if wrong, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("the line is not valid JSON: %s at byte %d of the line", strings.TrimPrefix(wrong.Error(), "json: "), wrong.Offset)
	}
	return errors.New("the line is not valid JSON: it is incomplete")
}

// batchFault is the answer to an invalid line.
type batchFault struct {
	Error string `json:"error"`
}

// appendFault appends an error as the answer to a line.
func appendFault(answer []byte, err error) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(batchFault{err.Error()}) //nolint:errchkjson // strings always encode
	return append(answer, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}
