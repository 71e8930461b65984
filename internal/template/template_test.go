package template_test

import (
	"errors"
	"fmt"
	"html"
	"io"
	"strings"
	"testing"
	standard "text/template"

	"github.com/orthd/orth/internal/template"
)

type row struct {
	Name  string
	Count int
	Big   int64
}

// view is a value of all kinds that templates see.
type view struct {
	Text, Empty  string
	Yes, No      bool
	Number, Zero int
	Ratio        float64
	Rows         []row
	None         []row
	Lines        []string
	First        row
	Words        map[string]string
	hidden       string
}

func value() view {
	return view{
		Text: "a <b>", Yes: true, Number: 7, Ratio: 1.5, Rows: []row{{"x", 1, 2}, {"y", 3, 4}}, Lines: []string{"l1", "l2", "l3"},
		First: row{"z", 5, 6}, Words: map[string]string{"k": "v"}, hidden: "h",
	}
}

// upper is the only function.
func upper(args []any) (any, error) {
	if len(args) != 1 {
		return nil, errors.New("wrong number of args")
	}
	s, is := args[0].(string)
	if !is {
		return nil, errors.New("no text")
	}
	return strings.ToUpper(s), nil
}

// ours and theirs execute a template by this package and by the standard library.
func ours(text string, v any) (string, error) {
	t, err := template.Parse("t", text, map[string]template.Func{"upper": upper})
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = t.Execute(&out, v)
	return out.String(), err
}

func theirs(text string, v any) (string, error) {
	t, err := standard.New("t").Option("missingkey=error").Funcs(standard.FuncMap{"upper": strings.ToUpper}).Parse(text)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = t.Execute(&out, v)
	return out.String(), err
}

// templates are of the language as it is used; both say the same of each.
var templates = []string{
	``, `text`, `{{/* nothing */}}x`, `a {{- " b " -}} c`, `{{.}}`, `{{.Text}} {{.Number}} {{.Ratio}} {{.Yes}} {{.Empty}}|`,
	`{{.First.Name}}{{.First.Big}}`, `{{.Words.k}}`, `{{.Words.none}}`, `{{.Nothing}}`, `{{.hidden}}`, `{{.Text.Nothing}}`, `{{.Rows}}{{.Lines}}`,
	`{{if .Yes}}y{{else}}n{{end}}{{if .No}}y{{else}}n{{end}}{{if .Empty}}y{{else if .Zero}}z{{else}}n{{end}}`,
	`{{if .Rows}}y{{end}}{{if .None}}y{{end}}{{if .First}}y{{end}}{{if .Ratio}}y{{end}}{{if 0}}y{{end}}{{if ""}}y{{end}}{{if nil}}y{{end}}`,
	`{{with .First}}{{.Name}}{{$.Text}}{{else}}n{{end}}{{with .Empty}}x{{else}}n{{end}}{{with .Empty}}x{{else with .Text}}{{.}}{{end}}`,
	`{{with $x := .Number}}{{$x}}{{.}}{{end}}`, `{{$x := 1}}{{if .Yes}}{{$x = 2}}{{$y := 3}}{{$y}}{{end}}{{$x}}`, `{{$x := 1}}{{if .Yes}}{{$x := 2}}{{$x}}{{end}}{{$x}}`,
	`{{range .Rows}}{{.Name}}{{.Count}};{{end}}`, `{{range $i, $r := .Rows}}{{$i}}{{$r.Name}}{{.Count}};{{end}}`, `{{range $r := .Rows}}{{$r}}{{end}}`,
	`{{range .None}}x{{else}}none{{end}}`, `{{range $i, $l := .Lines}}{{if $i}}, {{end}}{{$l}}{{end}}`, `{{$l := ""}}{{range $l = .Lines}}{{$l}}{{end}}{{$l}}`,
	`{{range .Lines}}{{if eq . "l2"}}{{continue}}{{end}}{{.}}{{end}}`, `{{range .Lines}}{{if eq . "l2"}}{{break}}{{end}}{{.}}{{end}}`,
	`{{range .Rows}}{{range $.Lines}}{{.}}{{end}}{{.Name}}{{end}}`, `{{range .Text}}x{{end}}`, `{{range .Yes}}x{{end}}`, `{{range .First}}{{end}}`,
	`{{upper .Text}}{{.Text | upper}}{{.Text | upper | len}}`, `{{upper}}`, `{{upper .Text .Text}}`, `{{upper .Number}}`, `{{upper (upper "x")}}`, `{{nothing}}`,
	`{{and .Yes .Text}}{{and .No .Text}}{{or .Empty .Text}}{{or .Text .Nothing}}{{not .Yes}}`, `{{and}}`, `{{and .No .Nothing}}{{or .Yes (index .Rows 9)}}`,
	`{{.Text | or .Empty}}{{.Number | and .Yes}}`, `{{and .Yes .Nothing}}`, `{{not}}`, `{{not 1 2}}`,
	`{{eq .Number 7}}{{eq .Text "x" "a <b>"}}{{ne .Number 7}}{{eq .Ratio 1.5}}{{eq .Yes true}}{{eq .First .First}}`,
	`{{eq .Number "7"}}`, `{{eq .Number 7.0}}`, `{{eq .Rows .Rows}}`, `{{eq 1}}`, `{{eq}}`, `{{ne 1 2 3}}`, `{{eq .Text .Yes}}`, `{{eq .First.Big .Number}}`,
	`{{lt .Number 8}}{{le .Number 7}}{{gt .Number 7}}{{ge .Number 7}}{{lt "a" "b"}}{{gt .Ratio 1.4}}`, `{{lt .Number "x"}}`, `{{lt .Yes .No}}`, `{{lt .Number 1.5}}`, `{{gt 1}}`,
	`{{len .Rows}}{{len .Text}}{{len .Words}}`, `{{len .Number}}`, `{{len nil}}`, `{{len}}`,
	`{{index .Rows 1}}{{(index .Rows 0).Name}}{{index .Lines 2}}{{with index .Rows 0}}{{.Count}}{{end}}`, `{{index .Rows 2}}`, `{{index .Rows -1}}`, `{{index .Rows "x"}}`,
	`{{index .Text 0}}`, `{{index .Number 0}}`, `{{index .Lines}}`, `{{index}}`, `{{index nil 0}}`,
	`{{nil}}`, `{{.Text 1}}`, `{{.Text | .Number}}`, `{{1 | 2}}`, `{{"x" "y"}}`, `{{1}}{{-2}}{{1.5}}{{0x10}}{{'a'}}{{1e3}}{{true}}{{"q\n"}}`, "{{`raw`}}", `{{(.First).Name}}`, `{{(1).Name}}`,
	`{{$}}`, `{{$x}}`, `{{$x := 1}}{{$y := $x}}{{$y}}`, `{{$x, $y := 1}}`, `{{$.Text}}`,
	`{{define "d"}}[{{.}}]{{end}}{{template "d" .Text}}{{template "d"}}`, `{{template "none"}}`, `{{define "d"}}{{$.Name}}{{end}}{{range .Rows}}{{template "d" .}}{{end}}`,
	`{{block "b" .First}}{{.Name}}{{end}}`, `{{define "r"}}{{template "r"}}{{end}}{{template "r"}}`,
	`{{if}}x{{end}}`, `{{if .Yes}}`, `{{end}}`, `{{.Text`, `{{break}}`, `{{9999999999999999999999}}`,
}

func TestAsTheStandardLibrary(t *testing.T) {
	t.Parallel()
	for _, text := range templates {
		isSame(t, text)
	}
}

// isSame fails when the two do not agree.
func isSame(t *testing.T, text string) {
	t.Helper()
	want, wrong := theirs(text, value())
	got, err := ours(text, value())
	if (err == nil) != (wrong == nil) || wrong == nil && got != want {
		t.Errorf("%s: %q, %v; want %q, %v", text, got, err, want, wrong)
	}
}

// FuzzAsTheStandardLibrary has templates of anybody. What this package leaves out are
// loops over texts, numbers, maps and functions, elements of maps, complex and unsigned
// numbers, and the functions that are not named in [template.Parse].
func FuzzAsTheStandardLibrary(f *testing.F) {
	for _, text := range templates {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ours(text, value())
		if err != nil {
			return
		}
		if want, wrong := theirs(text, value()); wrong != nil || got != want {
			t.Errorf("%q: %q; want %q, %v", text, got, want, wrong)
		}
	})
}

func TestErrorsNameThePlace(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a\n{{.Nothing}}":               `template: t:2:2: executing "t" at <.Nothing>: can't evaluate field Nothing in type template_test.view`,
		"{{index .Rows 5}}":             `template: t:1:2: executing "t" at <index .Rows 5>: error calling index: index out of range: 5`,
		"{{if .Yes}}{{upper 1}}{{end}}": `template: t:1:13: executing "t" at <upper 1>: error calling upper: no text`,
	} {
		if _, err := ours(text, value()); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestEscape(t *testing.T) {
	t.Parallel()
	parsed, err := template.Parse("t", `<p>{{.Text}}</p>{{template "x" .Text}}{{define "x"}}<i>{{.}}</i>{{end}}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	parsed.Escape = html.EscapeString
	var out strings.Builder
	if err := parsed.Execute(&out, value()); err != nil || out.String() != "<p>a &lt;b&gt;</p><i>a &lt;b&gt;</i>" {
		t.Errorf("%s, %v", &out, err)
	}
}

// full takes nothing.
type full struct{}

var errFull = errors.New("full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestErrorsOfTheWriterEnd(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"x", "{{.Text}}", "{{range .Rows}}x{{end}}", `{{template "x" .}}{{define "x"}}{{.Text}}{{end}}`} {
		parsed, err := template.Parse("t", text, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := parsed.Execute(io.Writer(full{}), value()); !errors.Is(err, errFull) || strings.Contains(fmt.Sprint(err), "executing") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
