package jsontext

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/orthd/orth/job"
)

func TestScannerRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		``, ` `, `nul`, `nulll`, `tru`, `+`, `-`, `.`, `'a'`, `"`, `"a`, `"\`, `"\q"`, `"\u12"`, `"\u12g4"`, `"\u`,
		`{`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{a:1}`, `{"a" 1}`, `{,}`, `{"a":1 "b":2}`,
		`[`, `[1`, `[1,`, `[1,]`, `[,1]`, `[1 2]`, `1 2`, `{} {}`, `]`, `}`, `:`, "\x00", "1\x00", "{\x00}",
		strings.Repeat("[", maxNesting+1) + strings.Repeat("]", maxNesting+1),
		strings.Repeat(`{"a":`, maxNesting+1) + "1" + strings.Repeat("}", maxNesting+1),
		strings.Repeat("[", 1<<20),
	} {
		s := New([]byte(text))
		err := s.Skip()
		if err == nil {
			err = s.End()
		}
		if !job.Is(err, job.Invalid) {
			t.Errorf("%.40q: error %v; want one of kind invalid", text, err)
		}
	}
}

func TestScannerTakes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`null`, ` true `, "\r\n\t false", `0`, `-1.5e+3`, `""`, `"a\/b\'"`, "\"tab\there\"", `{}`, `[]`, `{"":{}}`,
		strings.Repeat("[", maxNesting) + strings.Repeat("]", maxNesting),
	} {
		s := New([]byte(text))
		if err := s.Skip(); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if err := s.End(); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestScannerInteger(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		`0`: 0, `7`: 7, `-7`: -7, `"7"`: 7, `"-7"`: -7, `null`: 0, `7.0`: 7, `70e-1`: 7, `1e3`: 1000, `"7.0"`: 7, `007`: 7,
		`9223372036854775807`: math.MaxInt64, `-9223372036854775808`: math.MinInt64, `999999999999999999`: 999999999999999999,
	} {
		s := New([]byte(text))
		if got, err := s.Integer("n", math.MinInt64, math.MaxInt64); err != nil || got != want {
			t.Errorf("%s = %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{
		`7.5`, `"seven"`, `""`, `" 7"`, `true`, `{}`, `[7]`, `9223372036854775808`, `1e19`, `-1e300`, `1e999`, `0x7`, `"0x7"`,
		`"Inf"`, `"NaN"`, `NaN`, `1-1`, `--1`, `"1_000"`, `1` + strings.Repeat("0", 100), ``, `7x`,
	} {
		s := New([]byte(text))
		got, err := s.Integer("n", math.MinInt64, math.MaxInt64)
		if err == nil {
			err = s.End()
		}
		if !job.Is(err, job.Invalid) {
			t.Errorf("%s = %d, %v; want an error of kind invalid", text, got, err)
		}
	}
	s := New([]byte(`2147483648`))
	if got, err := s.Integer("jobId", math.MinInt32, math.MaxInt32); err == nil || !strings.Contains(err.Error(), "jobId") {
		t.Errorf("over the range: %d, %v; want an error that names the field", got, err)
	}
}

func TestScannerBoolean(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{`true`: true, `"true"`: true, `false`: false, `"false"`: false, `null`: false, `""`: false} {
		s := New([]byte(text))
		if got, err := s.Boolean("end"); err != nil || got != want {
			t.Errorf("%s = %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{`1`, `"yes"`, `{}`, `tru`} {
		s := New([]byte(text))
		if got, err := s.Boolean("end"); !job.Is(err, job.Invalid) {
			t.Errorf("%s = %v, %v; want an error of kind invalid", text, got, err)
		}
	}
}

// TestErrorsDoNotQuote: bodies hold parameters, and those hold secrets.
func TestErrorsDoNotQuote(t *testing.T) {
	t.Parallel()
	s := New([]byte(`{"param":"hunter2","job":"hunter2"`))
	err := s.Fields(func(name []byte) (err error) {
		if string(name) == "job" {
			_, err = s.Integer("job", 0, 9)
			return err
		}
		return s.Skip()
	})
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("error %v; want one without the value", err)
	}
}

// FuzzScanner compares with encoding/json: whatever that takes, the scanner
// takes too and reads alike.
func FuzzScanner(f *testing.F) {
	for _, seed := range []string{
		`{"a":"b","n":[1,2.5,-3e2,true,null],"o":{"x":"\u00e9\ud83d\ude00\ud83d"}}`, `"\"\\\/\b\f\n\r\t"`, "\"\xff\"",
		`[[[[]]]]`, `{"a":1,"a":2}`, `{bad`, "\"\xe2\x80\xa8\"", `12345678901234567890`, `-0`, `1E400`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s := New(text)
		raw, err := s.Raw()
		if err == nil {
			err = s.End()
		}
		if err != nil {
			if !job.Is(err, job.Invalid) {
				t.Fatalf("error of kind %q: %v", job.KindOf(err), err)
			}
			if json.Valid(text) && nesting(text) <= maxNesting {
				t.Fatalf("valid JSON is refused: %v", err)
			}
			return
		}
		if !json.Valid(text) {
			return // forgiven
		}
		if want := bytes.Trim(text, " \t\r\n"); !bytes.Equal(raw, want) {
			t.Fatalf("raw = %q; want %q", raw, want)
		}
		s = New(text)
		got, isNull, err := s.Text()
		if err != nil {
			t.Fatalf("text: %v", err)
		}
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			return // a number out of range
		}
		switch value := value.(type) {
		case nil:
			if !isNull {
				t.Fatal("null is not null")
			}
		case string:
			if string(got) != value {
				t.Fatalf("text = %q; want %q", got, value)
			}
		case float64:
			s = New(text)
			n, err := s.Integer("n", math.MinInt64, math.MaxInt64)
			if whole := value == math.Trunc(value) && math.Abs(value) < 1<<53; whole && len(raw) <= 64 && (err != nil || float64(n) != value) {
				t.Fatalf("integer = %d, %v; want %v", n, err, value)
			} else if value != math.Trunc(value) && err == nil {
				t.Fatalf("integer = %d; want an error for %v", n, value)
			}
		}
	})
}

// nesting returns how deep valid JSON nests.
func nesting(text []byte) int {
	decoder := json.NewDecoder(bytes.NewReader(text))
	depth, deepest := 0, 0
	for {
		token, err := decoder.Token()
		if err != nil {
			return deepest
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
			deepest = max(deepest, depth)
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
}

// FuzzAppendText compares with encoding/json without its escapes for HTML.
func FuzzAppendText(f *testing.F) {
	for _, seed := range []string{"", "plain", "\"\\/\b\f\n\r\t\x00\x1f\x7f", "é😀\u2028\u2029\uFFFD", "\xff\xc3", "<b>&'="} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := AppendText(nil, text)
		var want bytes.Buffer
		encoder := json.NewEncoder(&want)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(text); err != nil {
			t.Fatal(err)
		}
		if string(got)+"\n" != want.String() {
			t.Fatalf("AppendText(%q) = %s; want %s", text, got, want.String())
		}
		s := New(got)
		back, err := s.Str()
		if err != nil || utf8.ValidString(text) && back != text {
			t.Fatalf("%q came back as %q, %v", text, back, err)
		}
	})
}
