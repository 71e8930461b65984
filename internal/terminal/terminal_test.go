package terminal_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/orthd/orth/internal/terminal"
)

func TestWidth(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"": 0, "report": 6, "Käse": 4, "日报": 4, "ﾃｽﾄ": 3, "e\u0301": 1, "a\u200bb": 2, "①": 1, "😀": 2, "ｆｕｌｌ": 8,
	} {
		if got := terminal.Width(text); got != want {
			t.Errorf("%q takes %d cells, want %d", text, got, want)
		}
	}
}

// What is cut fits, begins as the text does, and is the text itself when that fits.
func TestCutFits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		text, cells := rapid.String().Draw(r, "text"), rapid.IntRange(0, 20).Draw(r, "cells")
		got := terminal.Cut(text, cells)
		switch {
		case terminal.Width(got) > cells:
			r.Fatalf("%q takes more than %d cells", got, cells)
		case terminal.Width(text) <= cells && got != text:
			r.Fatalf("%q was cut to %q, though it fits %d cells", text, got, cells)
		case !strings.HasPrefix(text, strings.TrimSuffix(got, "…")):
			r.Fatalf("%q is no beginning of %q", got, text)
		}
		if padded := terminal.Pad(got, cells); terminal.Width(padded) != cells {
			r.Fatalf("%q is padded to %d cells, want %d", got, terminal.Width(padded), cells)
		}
	})
}

func TestPaint(t *testing.T) {
	t.Parallel()
	none := func(string) string { return "" }
	var out bytes.Buffer
	if p := terminal.NewPainter(&out, none); p.On() || p.Paint("failed", terminal.Red) != "failed" {
		t.Error("what is no terminal is painted")
	}
	if got := terminal.Painting().Paint("failed", terminal.Red); got != "\x1b[31mfailed\x1b[0m" {
		t.Errorf("painted %q", got)
	}
	if got := terminal.Painting().Paint("failed", terminal.Plain); got != "failed" {
		t.Errorf("plain is %q", got)
	}
}

func TestBar(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	hidden := terminal.NewBar(&out)
	hidden.Show(1, 2, "half")
	hidden.Clear()
	if hidden.Drawn() || out.Len() > 0 {
		t.Errorf("a bar is drawn where no terminal is: %q", out.String())
	}
	bar := terminal.NewDrawnBar(&out)
	bar.Show(1, 2, "half")
	bar.Show(5, 2, "beyond")
	bar.Show(0, 0, "nothing")
	bar.Clear()
	want := "\r\x1b[K[###############...............] half\r\x1b[K[##############################] beyond" +
		"\r\x1b[K[..............................] nothing\r\x1b[K"
	if out.String() != want {
		t.Errorf("drawn %q, want %q", out.String(), want)
	}
}

func TestReadSecret(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"secret\n": "secret", "secret\r\nmore": "secret", " kept \n": " kept ", "no end": "no end"} {
		if got, err := terminal.ReadSecret(strings.NewReader(in)); err != nil || got != want {
			t.Errorf("%q is read as %q, %v", in, got, err)
		}
	}
	if _, err := terminal.ReadSecret(strings.NewReader("")); err == nil {
		t.Error("nothing was read as a secret")
	}
}

func TestNoScreen(t *testing.T) {
	t.Parallel()
	file, err := os.Create(t.TempDir() + "/plain")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if terminal.Is(file) || terminal.Is(3) || terminal.Columns(file) != 0 || terminal.Columns(&bytes.Buffer{}) != 0 {
		t.Error("a file is taken for a terminal")
	}
}
