package httpcall

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/orthd/orth/internal/errorline"
)

func TestBodyLine(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"":                                "",
		" \n\t\n":                         "",
		"database is locked\nat line 3\n": "database is locked",
		"\n----\nno such customer":        "no such customer",
		"{\n  \"code\": 17,\n  \"message\": \"no such customer\"\n}\n": `{ "code": 17, "message": "no such customer" }`,
		"[1,\n2]": "[1, 2]",
		"<!DOCTYPE html>\n<html><head><title>502 Bad\n Gateway &amp; more</title></head></html>": "502 Bad Gateway & more",
		"<!doctype HTML>\n<p>sorry":             "",
		"<html><p>sorry":                        "",
		"<error>no such customer</error>\n<x/>": "<error>no such customer</error>",
		"\ufeffsorry\r\n":                       "sorry",
		"\x1b[31mred\x00\u202e":                 "red",
	} {
		if got := bodyLine(body); got != want {
			t.Errorf("%q: %q, want %q", body, got, want)
		}
	}
	if got := bodyLine(strings.Repeat("x", 10_000)); utf8.RuneCountInString(got) != errorline.MaxLine {
		t.Errorf("%d characters", utf8.RuneCountInString(got))
	}
}
