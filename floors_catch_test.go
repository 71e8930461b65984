package orth_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// sound is a small house without a finding.
func sound() map[string]string {
	return map[string]string{
		"go.mod":                            "module github.com/orthd/orth\n\nrequire (\n\tgolang.org/x/sys v0.40.0\n\tgithub.com/google/go-cmp v0.7.0\n)\n",
		"docs/decisions/x-sys.md":           "We use `golang.org/x/sys`.\n",
		"docs/decisions/go-cmp.md":          "We use `github.com/google/go-cmp`.\n",
		"doc.go":                            "// Package orth is the root.\npackage orth\n",
		"retry/retry.go":                    "// Package retry waits.\npackage retry\n\nimport \"time\"\n\n// Wait is a wait.\ntype Wait time.Duration\n",
		"job/job.go":                        pkg("job", "github.com/orthd/orth/retry"),
		"job/job_test.go":                   "package job_test\n\nimport _ \"github.com/google/go-cmp/cmp\"\n",
		"internal/queue/queue.go":           pkg("queue", "context", "github.com/orthd/orth/job"),
		"internal/queue/journal/journal.go": pkg("journal", "golang.org/x/sys", "github.com/orthd/orth/job"),
		"internal/planner/planner.go":       pkg("planner", "github.com/orthd/orth/job"),
		"internal/runner/runner.go":         pkg("runner", "github.com/orthd/orth/internal/queue"),
		"internal/store/sqlstore/sql.go":    pkg("sqlstore", "database/sql", "github.com/orthd/orth/job"),
		"internal/store/sqlite/sqlite.go":   pkg("sqlite", "github.com/orthd/orth/internal/store/sqlstore"),
		"internal/wire/xxl/names.go":        pkg("xxl") + "\nconst serial = \"SERIAL_EXECUTION\"\n",
		"executor/executor.go":              pkg("executor", "github.com/orthd/orth/internal/runner", "github.com/orthd/orth/internal/queue/journal"),
		"cmd/orth/main.go":                  "// Command orth is the program.\npackage main\n\nfunc main() {}\n",
		"examples/hello/main.go":            "// Command hello says hello.\npackage main\n\nimport _ \"github.com/orthd/orth/executor\"\n\nfunc main() {}\n",
	}
}

// pkg returns the source of a documented package with the imports.
func pkg(name string, imports ...string) string {
	text := fmt.Sprintf("// Package %s is a part of the house.\npackage %s\n", name, name)
	for _, path := range imports {
		text += fmt.Sprintf("\nimport _ %q\n", path)
	}
	return text
}

func TestFloorsPassASoundHouse(t *testing.T) {
	t.Parallel()
	h := built(t, sound())
	for name, rule := range rules() {
		if findings := rule(h); len(findings) > 0 {
			t.Errorf("%s: %v", name, findings)
		}
	}
}

// breakage is one thing that is wrong with a house, the rule that must find it
// and a part of what the rule must say.
type breakage struct {
	name  string
	files map[string]string
	rule  string
	want  string
}

func importBreakages() []breakage {
	const orth = "github.com/orthd/orth/"
	return []breakage{
		{
			"a room imports a room",
			map[string]string{"internal/planner/planner.go": pkg("planner", orth+"internal/runner")},
			"floors", "internal/planner imports internal/runner: a room must not import a room",
		},
		{
			"a room imports a door",
			map[string]string{"internal/runner/runner.go": pkg("runner", orth+"internal/wire/xxl")},
			"floors", "internal/runner imports internal/wire/xxl: a room must not import a door",
		},
		{
			"a door imports another door",
			map[string]string{"internal/wire/xxl/xxl.go": "package xxl\n\nimport _ \"" + orth + "internal/store/sqlite\"\n"},
			"floors", "a door must not import a door",
		},
		{
			"a family upside down",
			map[string]string{"internal/store/storetest/suite.go": pkg("storetest", orth+"internal/store/sqlite")},
			"floors", "internal/store/storetest imports internal/store/sqlite: a door must not import a door",
		},
		{
			"a tool imports a tool",
			map[string]string{"internal/route/route.go": pkg("route", orth+"internal/queue")},
			"floors", "a tool must not import a tool",
		},
		{
			"a word imports a tool",
			map[string]string{"schedule/schedule.go": pkg("schedule", orth+"internal/queue")},
			"floors", "schedule imports internal/queue: a word must not import a tool",
		},
		{
			"a word imports the wrong word",
			map[string]string{"schedule/schedule.go": pkg("schedule", orth+"retry")},
			"floors", "schedule imports retry: a word must not import a word",
		},
		{
			"something imports the root",
			map[string]string{"executor/root.go": "package executor\n\nimport _ \"github.com/orthd/orth\"\n"},
			"floors", "executor imports .: a wiring must not import a trial",
		},
		{
			"an unplaced package",
			map[string]string{"internal/cache/cache.go": pkg("cache")},
			"floors", "internal/cache has no place",
		},
		{
			"a word asks the system",
			map[string]string{"retry/os.go": "package retry\n\nimport _ \"os\"\n"},
			"words", "retry imports os",
		},
		{
			"a word takes a module",
			map[string]string{"job/sys.go": "package job\n\nimport _ \"golang.org/x/sys\"\n"},
			"words", "job imports golang.org/x/sys",
		},
		{
			"the SDK reaches a driver",
			map[string]string{
				"go.mod":                            "module github.com/orthd/orth\n\nrequire modernc.org/sqlite v1.60.1\n",
				"docs/decisions/all.md":             "`golang.org/x/sys` `github.com/google/go-cmp` `modernc.org/sqlite`",
				"internal/queue/journal/journal.go": pkg("journal", "modernc.org/sqlite", orth+"job"),
			},
			"sdk", "the SDK reaches modernc.org/sqlite: executor → internal/queue/journal → modernc.org/sqlite",
		},
		{
			"the SDK reaches SQL through a tool",
			map[string]string{"internal/queue/sql.go": "package queue\n\nimport _ \"database/sql\"\n"},
			"sdk", "→ internal/queue → database/sql",
		},
		{
			"the SDK reaches the store",
			map[string]string{"executor/store.go": "package executor\n\nimport _ \"" + orth + "internal/store/sqlite\"\n"},
			"sdk", "executor → internal/store/sqlite",
		},
		{
			"the client reaches the console",
			map[string]string{
				"client/client.go":   pkg("client", orth+"console"),
				"console/console.go": pkg("console"),
			},
			"sdk", "client → console",
		},
		{
			"a module that nobody decided on",
			map[string]string{
				"go.mod":                "module github.com/orthd/orth\n\nrequire github.com/google/go-cmp v0.7.0\n\nrequire example.org/x/v2 v2.0.0\n",
				"internal/rest/rest.go": pkg("rest", "example.org/x/v2/sub"),
			},
			"decisions", "internal/rest/rest.go imports example.org/x/v2/sub: no record in docs/decisions names `example.org/x/v2`",
		},
		{
			"a module of a wing that nobody decided on",
			map[string]string{
				"solana/go.mod":     "module github.com/orthd/orth/solana\n\nrequire example.org/chain/v3 v3.0.0\n",
				"solana/rpc/rpc.go": pkg("rpc", "example.org/chain/v3/x"),
			},
			"decisions", "solana/rpc/rpc.go imports example.org/chain/v3/x: no record in docs/decisions names `example.org/chain/v3`",
		},
		{
			"the main module imports a wing",
			map[string]string{
				"internal/app/app.go":       pkg("app", orth+"solana/service"),
				"solana/service/service.go": pkg("service"),
			},
			"modules", "internal/app/app.go imports solana/service: the main module is built without its wings",
		},
		{
			"a test of the main module imports a wing",
			map[string]string{"internal/app/app_test.go": pkg("app", orth+"bench")},
			"modules", "internal/app/app_test.go imports bench: the main module is built without its wings",
		},
	}
}

func sourceBreakages() []breakage {
	long := "package job\n\nfunc long() {\n" + strings.Repeat("\t_ = 0\n", 130) + "}\n"
	return []breakage{
		{
			"a banned package",
			map[string]string{"examples/util/main.go": pkg("main")},
			"names", `package examples/util: "util" is no name for a package`,
		},
		{
			"a banned file",
			map[string]string{"job/job_helpers_test.go": "package job\n"},
			"names", `file job/job_helpers_test.go: "helpers" is no name for a file`,
		},
		{
			"a foreign word in a string",
			map[string]string{"internal/planner/x.go": "package planner\n\nconst block = \"SERIAL_EXECUTION\"\n"},
			"foreign", "internal/planner/x.go:3: SERIAL_EXECUTION is a foreign word",
		},
		{
			"a foreign word in a tag",
			map[string]string{"job/x.go": "package job\n\ntype x struct {\n\tID int `json:\"logId\"`\n}\n"},
			"foreign", "job/x.go:4: logId is a foreign word",
		},
		{
			"a foreign word as a name",
			map[string]string{"job/x.go": "package job\n\nvar glueType int\n"},
			"foreign", "job/x.go:3: glueType is a foreign word",
		},
		{
			"no package comment",
			map[string]string{"internal/planner/planner.go": "package planner\n"},
			"comments", "internal/planner has 0 package comments",
		},
		{
			"two package comments",
			map[string]string{"internal/planner/x.go": pkg("planner")},
			"comments", "internal/planner has 2 package comments",
		},
		{
			"a package comment for another",
			map[string]string{"internal/planner/planner.go": "// Package runner is elsewhere.\npackage planner\n"},
			"comments", `the package comment must begin with "Package planner "`,
		},
		{
			"a bare function",
			map[string]string{"job/x.go": "package job\n\nfunc Run() {}\n"},
			"documented", "job/x.go:3: Run has no doc comment",
		},
		{
			"a bare method",
			map[string]string{"job/x.go": "package job\n\n// T is a type.\ntype T[K any] struct{}\n\nfunc (*T[K]) Run() {}\n"},
			"documented", "job/x.go:6: Run has no doc comment",
		},
		{
			"a bare type",
			map[string]string{"job/x.go": "package job\n\ntype T struct{}\n"},
			"documented", "job/x.go:3: T has no doc comment",
		},
		{
			"a bare constant",
			map[string]string{"job/x.go": "package job\n\nconst (\n\ta, B = 1, 2\n)\n"},
			"documented", "job/x.go:4: B has no doc comment",
		},
		{
			"a long file",
			map[string]string{"job/x.go": "package job\n" + strings.Repeat("\n", 800)},
			"sizes", "job/x.go has 801 lines, at most 800 are allowed",
		},
		{
			"many longish files", manyFiles(40, "package job\n"+strings.Repeat("\n", 600)),
			"sizes", "19 of 20 files have up to 601 lines, want 500",
		},
		{
			"a long function",
			map[string]string{"job/x.go": long},
			"sizes", "job/x.go:3: long has 132 lines, at most 120 are allowed",
		},
		{
			"wide interfaces",
			map[string]string{"job/x.go": "package job\n\ntype narrow interface{ A() }\n\ntype wide interface {\n\tnarrow\n\tB()\n\tC()\n\tD()\n}\n"},
			"interfaces", "1 of 2 interfaces have more than 3 methods: job/x.go:5 wide (4)",
		},
		{
			"a very wide interface",
			map[string]string{"job/x.go": "package job\n\ntype wide interface{ A(); B(); C(); D(); E(); F(); G(); H(); I(); J() }\n" + narrowInterfaces(20)},
			"interfaces", "job/x.go:3: wide has 10 methods, at most 9 are allowed",
		},
		{
			"init",
			map[string]string{"job/x.go": "package job\n\nfunc init() {}\n"},
			"init", "job/x.go:3: init runs behind the reader's back",
		},
	}
}

func manyFiles(n int, text string) map[string]string {
	files := map[string]string{}
	for i := range n {
		files[fmt.Sprintf("job/x%d.go", i)] = text
	}
	return files
}

func narrowInterfaces(n int) (text string) {
	for i := range n {
		text += fmt.Sprintf("\ntype narrow%d interface{ A() }\n", i)
	}
	return text
}

func TestFloorsCatchBrokenHouses(t *testing.T) {
	t.Parallel()
	for _, tc := range slices.Concat(importBreakages(), sourceBreakages()) {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			files := sound()
			maps.Copy(files, tc.files)
			h := built(t, files)
			found := strings.Join(rules()[tc.rule](h), "\n")
			if !strings.Contains(found, tc.want) {
				t.Errorf("rule %s says %q, want %q in it", tc.rule, found, tc.want)
			}
		})
	}
}

func TestFloorsCatchALongChain(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range maxDepth + 1 {
		name := fmt.Sprintf("p%d", i)
		files[name+"/x.go"] = pkg(name)
		if i > 0 {
			files[name+"/x.go"] = pkg(name, fmt.Sprintf("%s/p%d", modulePath, i-1))
		}
	}
	findings := depthRule(built(t, files))
	if want := fmt.Sprintf("[p%d stands on a chain of %d packages, at most %d are allowed]", maxDepth, maxDepth+1, maxDepth); fmt.Sprint(findings) != want {
		t.Errorf("findings %v, want %s", findings, want)
	}
}

func TestTheStoreMayBeWide(t *testing.T) {
	t.Parallel()
	wide := "type Store interface{ A(); B(); C(); D(); E(); F(); G(); H(); I(); J() }\n" + narrowInterfaces(20)
	h := built(t, map[string]string{
		"internal/store/store.go": "// Package store keeps.\npackage store\n\n// Store is all.\n" + wide,
	})
	if findings := interfacesRule(h); len(findings) > 0 {
		t.Errorf("findings %v, want none", findings)
	}
}

func TestWidthFollowsEmbeddedInterfacesOfOtherPackages(t *testing.T) {
	t.Parallel()
	h := built(t, map[string]string{
		"internal/planner/planner.go": "package planner\n\ntype Store interface{ A(); B(); C(); D(); E() }\n",
		"internal/store/store.go": "package store\n\nimport (\n\t\"io\"\n\t\"" + modulePath +
			"/internal/planner\"\n)\n\ntype Union interface {\n\tplanner.Store\n\tio.Closer\n\tF(); G(); H(); I()\n}\n" +
			"type number interface{ ~int | ~int64 }\n",
	})
	want := "internal/store/store.go:8: Union has 10 methods"
	if findings := strings.Join(interfacesRule(h), "\n"); !strings.Contains(findings, want) {
		t.Errorf("findings %s, want %q", findings, want)
	}
}
