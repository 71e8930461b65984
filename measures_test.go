package orth_test

import (
	"fmt"
	"go/ast"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// budget holds the tree's measures at their present values. A measure may only
// improve: whoever improves one lowers its limit in the same change.
type budget struct {
	productLines int     // lines of product code in the main module
	feltRoom     float64 // lines of the package in which the average line stands: sum(lines²)/sum(lines)
	propagation  float64 // mean share of the packages that a package reaches, in percent
	oddWords     float64 // words that WORDS.md refuses, per 1,000 lines of comment
	shortNames   float64 // functions with names of at most four letters, in percent
	backArrows   int     // references between files of a package that close a cycle
	packageLines int     // lines of a package, except of those in oversized
	oversized    map[string]int
	typePackages int // packages in which one type name is declared, except of those in sharedTypes
	sharedTypes  map[string]int
}

// present is what the tree measures today.
func present() budget {
	return budget{
		productLines: 185_000,
		feltRoom:     3_700,
		propagation:  8.47,
		oddWords:     11.7,
		shortNames:   12,
		backArrows:   511,
		packageLines: 3_000,
		oversized: map[string]int{
			"api":                     3_328,
			"client":                  3_480,
			"internal/app":            4_228,
			"internal/store/sqlstore": 19_131,
			"job":                     4_200,
			"schedule":                5_549,
			"solana/cli":              3_557,
		},
		typePackages: 4,
		sharedTypes: map[string]int{
			"Account": 5, "Answer": 6, "Book": 5, "Chain": 5, "Change": 5, "Client": 8, "Error": 7, "Executors": 6,
			"Facts": 6, "Groups": 5, "IDs": 6, "Kind": 15, "Leases": 5, "Load": 6, "Logs": 6, "Outcomes": 5, "Place": 5, "Reader": 6,
			"Rules": 5, "Server": 8, "State": 8, "Stats": 10, "Step": 5,
		},
	}
}

// kits are packages that exist for tests, measurements and readers.
var kits = regexp.MustCompile(`(^|/)(storetest|queuetest|wiretest|bench|compare|svmtest|sbf|demo|e2e|sim|pagetest|blobtest|resttest|jobstest|lifecycletest|certstest|dbtest|interop|examples)(/|$)`)

// oddWords are the words of conversation that stand where a technical term is meant.
var oddWords = regexp.MustCompile(`(?i)\b(says?|said|saying|tells?|told|telling|nobody|somebody|whoever|whom|anew|beside|meanwhile)\b`)

// roleNames are type names that every package may declare: Go programmers know
// what they stand for.
var roleNames = []string{"Config", "Store", "Hooks", "Option"}

// product returns the product's packages, by directory.
func (h *house) product() map[string]*room {
	found := map[string]*room{}
	for dir, r := range h.packages {
		code := slices.DeleteFunc(r.code(), func(s *source) bool { return ast.IsGenerated(s.syntax) })
		if !kits.MatchString(dir) && len(code) > 0 {
			found[dir] = &room{dir: dir, files: code}
		}
	}
	return found
}

// measure measures the product. The lists hold each package's lines and, for each
// type name, the number of packages that declare it.
func (h *house) measure() budget {
	b := budget{oversized: map[string]int{}, sharedTypes: map[string]int{}}
	product := h.product()
	all, squares, functions, short, comments, odd := 0, 0, 0, 0, 0, 0
	for dir, r := range product {
		lines := 0
		declared := map[string]bool{}
		for _, s := range r.files {
			lines += s.lines
			c, o := commentsOf(s)
			comments, odd = comments+c, odd+o
			for _, decl := range s.syntax.Decls {
				if f, isFunction := decl.(*ast.FuncDecl); isFunction {
					functions++
					if len(f.Name.Name) <= 4 {
						short++
					}
				}
			}
			for _, name := range typesOf(s) {
				declared[name] = true
			}
		}
		for name := range declared {
			b.sharedTypes[name]++
		}
		b.oversized[dir] = lines
		all += lines
		if !inWing(dir) {
			b.productLines += lines
		}
		squares += lines * lines
		b.backArrows += backArrows(r.files)
	}
	b.feltRoom = float64(squares) / float64(max(all, 1))
	b.propagation = propagation(product)
	b.oddWords = 1000 * float64(odd) / float64(max(comments, 1))
	b.shortNames = 100 * float64(short) / float64(max(functions, 1))
	return b
}

// commentsOf counts the lines of line comments and the odd words in them.
func commentsOf(s *source) (lines, odd int) {
	for _, group := range s.syntax.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//") {
				lines++
				odd += len(oddWords.FindAllString(c.Text, -1))
			}
		}
	}
	return lines, odd
}

// typesOf returns the names of the types that a file declares at its top level.
func typesOf(s *source) (names []string) {
	for _, decl := range s.syntax.Decls {
		if d, isGeneral := decl.(*ast.GenDecl); isGeneral {
			for _, spec := range d.Specs {
				if t, isType := spec.(*ast.TypeSpec); isType {
					names = append(names, t.Name.Name)
				}
			}
		}
	}
	return names
}

// propagation returns the mean share of the packages that a package reaches by
// its imports and theirs, in percent.
func propagation(product map[string]*room) float64 {
	reached := 0
	for dir := range product {
		seen := map[string]bool{}
		for todo := []string{dir}; len(todo) > 0; {
			next := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for _, imported := range product[next].imports() {
				target, ours := local(imported)
				if ours && product[target] != nil && !seen[target] {
					seen[target] = true
					todo = append(todo, target)
				}
			}
		}
		reached += len(seen)
	}
	n := max(len(product), 1)
	return 100 * float64(reached) / float64(n*n)
}

// backArrows counts the references between files of a package that lead back:
// those that remain against the order in which each file stands before the files
// it uses. Files are ordered greedily, by references made less references
// received (Eades, Lin and Smyth 1993). References are found by name, so methods
// do not count.
func backArrows(files []*source) (back int) {
	uses := references(files)
	rank := map[string]int{}
	left := slices.Sorted(maps.Keys(uses))
	for len(left) > 0 {
		best, bestScore := 0, 0
		for i, name := range left {
			score := 0
			for _, other := range left {
				if uses[name][other] {
					score++
				}
				if uses[other][name] {
					score--
				}
			}
			if i == 0 || score > bestScore {
				best, bestScore = i, score
			}
		}
		rank[left[best]] = len(rank)
		left = slices.Delete(left, best, best+1)
	}
	for from, targets := range uses {
		for to := range targets {
			if rank[to] < rank[from] {
				back++
			}
		}
	}
	return back
}

// references returns, for each file, the files whose top-level names it uses.
func references(files []*source) map[string]map[string]bool {
	home := map[string]string{} // the file of each top-level name
	for _, s := range files {
		for name := range s.syntax.Scope.Objects {
			home[name] = s.name
		}
	}
	uses := map[string]map[string]bool{}
	for _, s := range files {
		uses[s.name] = map[string]bool{}
		for _, ident := range s.syntax.Unresolved {
			if target, declared := home[ident.Name]; declared && target != s.name {
				uses[s.name][target] = true
			}
		}
	}
	return uses
}

// exceeds returns the measures that are over their limits, and the limits that are
// to be lowered: those more than 5 % above their measure.
func (b budget) exceeds(limits budget) (findings []string) {
	over := func(what string, got, limit float64) {
		switch {
		case got > limit+0.005:
			findings = append(findings, fmt.Sprintf("%s: %.2f, the limit is %.2f", what, got, limit))
		case got < 0.95*limit-1:
			findings = append(findings, fmt.Sprintf("%s: %.2f, lower its limit of %.2f to that", what, got, limit))
		}
	}
	over("lines of product code", float64(b.productLines), float64(limits.productLines))
	over("felt room", b.feltRoom, limits.feltRoom)
	over("propagation in percent", b.propagation, limits.propagation)
	over("odd words per 1,000 lines of comment", b.oddWords, limits.oddWords)
	over("names of four letters or fewer in percent", b.shortNames, limits.shortNames)
	over("references that lead back between files", float64(b.backArrows), float64(limits.backArrows))
	list := func(what string, got map[string]int, limit int, exceptions map[string]int) {
		for _, name := range slices.Sorted(maps.Keys(got)) {
			if got[name] > limit {
				over(what+" "+name, float64(got[name]), float64(max(limit, exceptions[name])))
			}
		}
		for _, name := range slices.Sorted(maps.Keys(exceptions)) {
			if got[name] <= limit {
				findings = append(findings, fmt.Sprintf("%s %s: %d, within the limit of %d: remove its exception", what, name, got[name], limit))
			}
		}
	}
	list("lines of package", b.oversized, limits.packageLines, limits.oversized)
	shared := maps.Clone(b.sharedTypes)
	for _, name := range roleNames {
		delete(shared, name)
	}
	list("packages that declare type", shared, limits.typePackages, limits.sharedTypes)
	return findings
}

func TestTreeStaysWithinItsBudget(t *testing.T) {
	t.Parallel()
	h, err := readHouse(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	for _, finding := range h.measure().exceeds(present()) {
		t.Error(finding)
	}
}

func TestMeasures(t *testing.T) {
	t.Parallel()
	h := built(t, map[string]string{
		"a/one.go":          "package a\n\n// One tells nobody.\nfunc One() { two() }\n\ntype state int\n",
		"a/two.go":          "package a\n\nimport _ \"" + modulePath + "/b\"\n\n// two calls back.\nfunc two() { One(); Three() }\n",
		"a/three.go":        "package a\n\nfunc Three() {}\n",
		"b/b.go":            "package b\n\ntype state int\n\ntype Config struct{}\n",
		"b/gen.go":          "// Code generated by x. DO NOT EDIT.\n\npackage b\n\nfunc Gen() {}\n",
		"b/b_test.go":       "package b\n\nfunc Do() {}\n",
		"b/storetest/s.go":  "package storetest\n\nfunc Do() {}\n",
		"examples/x/one.go": "package main\n\nfunc main() {}\n",
		"solana/go.mod":     "module " + modulePath + "/solana\n",
		"solana/c/c.go":     "package c\n\ntype state int\n\ntype chain int\n",
	})
	got := h.measure()
	want := budget{
		productLines: 20, feltRoom: (15*15 + 5*5 + 5*5) / 25.0, propagation: 100 / 9.0, oddWords: 1000, shortNames: 200 / 3.0, backArrows: 1,
		oversized: map[string]int{"a": 15, "b": 5, "solana/c": 5}, sharedTypes: map[string]int{"state": 3, "Config": 1, "chain": 1},
	}
	if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
		t.Errorf("measures\n%+v, want\n%+v", got, want)
	}
}

func TestMeasuresMayOnlyImprove(t *testing.T) {
	t.Parallel()
	got := budget{
		productLines: 11, feltRoom: 2, backArrows: 90,
		oversized:   map[string]int{"a": 7, "b": 4, "c": 3},
		sharedTypes: map[string]int{"Config": 60, "book": 5},
	}
	limits := budget{
		productLines: 10, feltRoom: 2, backArrows: 100,
		packageLines: 5, oversized: map[string]int{"a": 6, "b": 5},
		typePackages: 4, sharedTypes: map[string]int{},
	}
	want := []string{
		"lines of product code: 11.00, the limit is 10.00",
		"references that lead back between files: 90.00, lower its limit of 100.00 to that",
		"lines of package a: 7.00, the limit is 6.00",
		"lines of package b: 4, within the limit of 5: remove its exception",
		"packages that declare type book: 5.00, the limit is 4.00",
	}
	if findings := got.exceeds(limits); !slices.Equal(findings, want) {
		t.Errorf("findings\n%q, want\n%q", findings, want)
	}
}
