package console

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
)

// pagePattern finds the path of a page in the console's source.
var pagePattern = regexp.MustCompile(`path: "(/[^"]*)"`)

// pages returns the page paths in the console's source, as patterns.
func pages(t *testing.T) (patterns []*regexp.Regexp) {
	t.Helper()
	variable := regexp.MustCompile(`\\\$\w+`)
	err := fs.WalkDir(os.DirFS("app/src/pages"), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() != "route.tsx" {
			return err
		}
		text, err := os.ReadFile("app/src/pages/" + path)
		for _, found := range pagePattern.FindAllStringSubmatch(string(text), -1) {
			patterns = append(patterns, regexp.MustCompile("^"+variable.ReplaceAllString(regexp.QuoteMeta(found[1]), "[^/]+")+"$"))
		}
		return err
	})
	if err != nil || len(patterns) < 20 {
		t.Fatalf("%d pages were found: %v", len(patterns), err)
	}
	return patterns
}

// TestPagesExist checks that every linked page exists in the console, and that the
// server responds with it.
func TestPagesExist(t *testing.T) {
	t.Parallel()
	h, err := New()
	if err != nil {
		t.Fatal(err)
	}
	all := pages(t)
	exists := func(path string) bool {
		path, _, _ = strings.Cut(strings.TrimPrefix(path, strings.TrimSuffix(Prefix, "/")), "?")
		for _, page := range all {
			if page.MatchString(path) {
				return true
			}
		}
		return false
	}
	if exists("/runs/1/nothing") || exists("/no-such-page") {
		t.Fatal("the test finds pages that do not exist")
	}
	for _, path := range []string{
		RunPage(812), AlarmPage(7), AlarmsPage, ChannelsPage, JobPage("prod", "nightly.report"), GroupPage("default", "Billing-1"),
	} {
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
		if answer.Code != http.StatusOK || !exists(path) {
			t.Errorf("%s: status %d, in the console's source: %t", path, answer.Code, exists(path))
		}
	}
}
