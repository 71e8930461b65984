package httpcall

import (
	"html"
	"regexp"
	"strings"
	"unicode"

	"github.com/orthd/orth/internal/errorline"
)

// titlePattern finds the title of an HTML page.
var titlePattern = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)

// bodyLine returns the line of an answer's body that explains a failure: a JSON document as
// one line, the title of an HTML page, or else the first line of text. It is empty when
// there is none.
func bodyLine(body string) string {
	body = strings.TrimSpace(strings.TrimPrefix(body, "\uFEFF"))
	switch {
	case strings.HasPrefix(body, "{"), strings.HasPrefix(body, "["):
		return errorline.OneLine(body)
	case strings.HasPrefix(body, "<"):
		if title := titlePattern.FindStringSubmatch(body); title != nil {
			return errorline.OneLine(html.UnescapeString(title[1]))
		}
		if isPage(body) {
			return ""
		}
	}
	for line := range strings.Lines(body) {
		if strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			return errorline.OneLine(line)
		}
	}
	return ""
}

// isPage reports whether a body is an HTML page: its first line explains nothing.
func isPage(body string) bool {
	start := strings.ToLower(body[:min(len(body), len("<!doctype html"))])
	return strings.HasPrefix(start, "<!doctype html") || strings.HasPrefix(start, "<html")
}
