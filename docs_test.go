package orth_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"
)

var (
	fencedCode   = regexp.MustCompile("(?ms)^[ \t]*```.*?^[ \t]*```") //nolint:gocritic // with (?m) a ^ begins any line
	inlineCode   = regexp.MustCompile("`[^`\n]*`")
	linkTarget   = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	headline     = regexp.MustCompile(`(?m)^#{1,6} +(.+)$`)
	linkText     = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	namedPage    = regexp.MustCompile(`\bdocs/[a-z0-9/-]+\.md(?:#[a-z0-9_-]+)?`)
	namedTests   = regexp.MustCompile("`([a-z0-9_/.-]+_test\\.go)`((?:,? (?:and )?(?:Test|Fuzz)[A-Za-z0-9]+)*)")
	namedTest    = regexp.MustCompile(`(?:Test|Fuzz)[A-Za-z0-9]+`)
	speaksOfDocs = []string{".go", ".md", ".ts", ".tsx", ".yaml", ".yml", ".sql", ".sh", ""}
)

// pages returns the text of each page of a tree, by its path.
func pages(tree fs.FS) (map[string]string, error) {
	found := map[string]string{}
	err := walkOurs(tree, func(name string) error {
		if path.Ext(name) != ".md" {
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		found[name] = strings.ReplaceAll(string(text), "\r\n", "\n")
		return err
	})
	return found, err
}

// walkOurs visits the files of a tree that are part of the house.
func walkOurs(tree fs.FS, visit func(name string) error) error {
	return fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && foreign(tree, name):
			return fs.SkipDir
		case entry.Type().IsRegular():
			return visit(name)
		}
		return nil
	})
}

// prose returns a page without what stands in it as code.
func prose(text string) string {
	return inlineCode.ReplaceAllString(fencedCode.ReplaceAllString(text, ""), "")
}

// anchors returns the names of a page's headlines, as links write them.
func anchors(text string) []string {
	var names []string
	for _, found := range headline.FindAllStringSubmatch(fencedCode.ReplaceAllString(text, ""), -1) {
		said := strings.ToLower(strings.ReplaceAll(linkText.ReplaceAllString(found[1], "$1"), "`", ""))
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
				return r
			}
			return -1
		}, strings.TrimSpace(said))
		for n, once := 1, name; slices.Contains(names, name); n++ {
			name = fmt.Sprintf("%s-%d", once, n)
		}
		names = append(names, name)
	}
	return names
}

// resolve returns what is wrong with a target as a page links it, and the file that it
// leads to. Addresses of others are taken as they are.
func resolve(tree fs.FS, found map[string]string, from, target string) (file, wrong string) {
	if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
		return "", ""
	}
	file, anchor, named := strings.Cut(target, "#")
	if file = path.Join(path.Dir(from), file); strings.HasPrefix(target, "#") {
		file = from
	}
	switch _, err := fs.Stat(tree, file); {
	case err != nil:
		return "", fmt.Sprintf("%s links %s, which does not exist", from, target)
	case named && !slices.Contains(anchors(found[file]), anchor):
		return "", fmt.Sprintf("%s links %s, and %s has no such headline", from, target, file)
	}
	return file, ""
}

// lost returns the links of pages that lead nowhere, and the pages below docs to which
// no way leads from the README.
func lost(tree fs.FS) (wrong []string, links int, err error) {
	found, err := pages(tree)
	next := map[string][]string{}
	for from, text := range found {
		for _, link := range linkTarget.FindAllStringSubmatch(prose(text), -1) {
			links++
			file, trouble := resolve(tree, found, from, link[1])
			if trouble != "" {
				wrong = append(wrong, trouble)
			}
			next[from] = append(next[from], file, path.Join(file, "README.md"))
		}
	}
	seen, ways := map[string]bool{}, []string{"README.md"}
	for len(ways) > 0 {
		at := ways[0]
		if ways = ways[1:]; !seen[at] {
			seen[at] = true
			ways = append(ways, next[at]...)
		}
	}
	for name := range found {
		if strings.HasPrefix(name, "docs/") && !seen[name] {
			wrong = append(wrong, fmt.Sprintf("no link leads from README.md to %s", name))
		}
	}
	slices.Sort(wrong)
	return wrong, links, err
}

// misnamed returns the pages that files name as docs/x.md and that are not there.
func misnamed(tree fs.FS) (wrong []string, named int, err error) {
	found, err := pages(tree)
	if err != nil {
		return nil, 0, err
	}
	err = walkOurs(tree, func(name string) error {
		if !slices.Contains(speaksOfDocs, path.Ext(name)) || path.Dir(name) == "." && strings.HasSuffix(name, "_test.go") {
			return nil // the tests of the house make pages up
		}
		text, err := fs.ReadFile(tree, name)
		for _, page := range namedPage.FindAllString(string(text), -1) {
			named++
			file, anchor, whole := strings.Cut(page, "#")
			if _, ok := found[file]; !ok || whole && !slices.Contains(anchors(found[file]), anchor) {
				wrong = append(wrong, fmt.Sprintf("%s names %s, which does not exist", name, page))
			}
		}
		return err
	})
	slices.Sort(wrong)
	return slices.Compact(wrong), named, err
}

// Links between pages lead to files and headlines that exist, every page can be found
// from the README, and what code says about pages is true.
func TestPagesAreFound(t *testing.T) {
	t.Parallel()
	tree := os.DirFS(".")
	wrong, links, err := lost(tree)
	if err != nil || links < 200 {
		t.Fatalf("%d links were looked at, %v", links, err)
	}
	more, named, err := misnamed(tree)
	if err != nil || named < 30 {
		t.Fatalf("%d names of pages were looked at, %v", named, err)
	}
	for _, trouble := range append(wrong, more...) {
		t.Error(trouble)
	}
}

// What pages name as the proof of a promise is a test that there is.
func TestPagesNameTestsThatExist(t *testing.T) {
	t.Parallel()
	found, err := pages(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	looked := 0
	for page, text := range found {
		for _, named := range namedTests.FindAllStringSubmatch(text, -1) {
			code, err := os.ReadFile(named[1])
			if err != nil {
				t.Errorf("%s names %s, which does not exist", page, named[1])
				continue
			}
			for _, test := range namedTest.FindAllString(named[2], -1) {
				if looked++; !strings.Contains(string(code), "func "+test+"(") {
					t.Errorf("%s names %s, and %s has no such test", page, test, named[1])
				}
			}
		}
	}
	if looked < 20 {
		t.Errorf("only %d names of tests were found", looked)
	}
}

func TestLostPagesAreCaught(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{
		"README.md":   {Data: []byte("See [one](docs/one.md#the-first-one), [none](docs/none.md) and `[code](x)`.\n")},
		"docs/one.md": {Data: []byte("# `The` first, [one](x.md)\n\n## Twice\n## Twice\n[a](#twice-1) [b](#thrice) [c](https://example.com/x)\n")},
		"docs/two.md": {Data: []byte("# Two\n```\n[no](link)\n```\n[up](../README.md)\n")},
		"a/a.go":      {Data: []byte("// See docs/one.md#twice and docs/two.md#too and docs/three.md.\n")},
	}
	wrong, links, err := lost(tree)
	want := []string{
		"README.md links docs/none.md, which does not exist",
		"docs/one.md links #thrice, and docs/one.md has no such headline",
		"docs/one.md links x.md, which does not exist",
		"no link leads from README.md to docs/two.md",
	}
	if err != nil || links != 7 || !slices.Equal(wrong, want) {
		t.Errorf("of %d links wrong are %q, %v", links, wrong, err)
	}
	wrong, named, err := misnamed(tree)
	want = []string{
		"README.md names docs/none.md, which does not exist",
		"a/a.go names docs/three.md, which does not exist", "a/a.go names docs/two.md#too, which does not exist",
	}
	if err != nil || named != 5 || !slices.Equal(wrong, want) {
		t.Errorf("of %d names wrong are %q, %v", named, wrong, err)
	}
}
