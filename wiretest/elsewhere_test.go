package wiretest

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestElsewhere: the tests that the page names are there.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(paper)
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "## What is proved elsewhere\n")
	section, _, _ := strings.Cut(after, "\n## ")
	named := 0
	for file, names := range testsIn(section) {
		code, err := os.ReadFile("../" + file)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, name := range names {
			if named++; !strings.Contains(string(code), "func "+name+"(") {
				t.Errorf("%s has no %s", file, name)
			}
		}
	}
	if named < 10 {
		t.Errorf("the page names %d tests", named)
	}
}

// testsIn returns the tests that a text names, by the file that stands before them.
func testsIn(text string) map[string][]string {
	found, file := make(map[string][]string), ""
	for _, word := range regexp.MustCompile("`[^`\\s]+_test\\.go`|\\bTest[A-Z]\\w*").FindAllString(text, -1) {
		if strings.HasPrefix(word, "`") {
			file = strings.Trim(word, "`")
			found[file] = nil
			continue
		}
		found[file] = append(found[file], word)
	}
	return found
}
