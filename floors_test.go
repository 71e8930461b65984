package orth_test

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// place is where a package stands. It may import lower floors, and on its own
// floor only packages of its own family with a lower rank: so a room never
// imports a room and a door never another door.
type place struct {
	floor  int
	family string // empty: none
	rank   int
}

var floorNames = []string{"word", "tool", "room", "door", "wiring", "trial"}

// places puts every package of the house on its floor. Adding a line here is
// the decision where a package belongs.
func places() map[string]place {
	places := map[string]place{
		// Floor 0: words. Values and pure functions.
		"schedule/calendar": {0, "words", 0},
		"schedule":          {0, "words", 1},
		"retry":             {0, "words", 1},
		"job":               {0, "words", 2},
		"alarm":             {0, "words", 3},
		"access":            {0, "words", 3},
	}
	put := func(floor int, dirs ...string) {
		for _, dir := range dirs {
			places[dir] = place{floor: floor}
		}
	}
	family := func(floor int, family string, ranks ...[]string) {
		for rank, dirs := range ranks {
			for _, dir := range dirs {
				places[strings.TrimSuffix(family+"/"+dir, "/")] = place{floor, family, rank}
			}
		}
	}
	// Floor 1: tools.
	put(1, "handler", "api", "internal/audit", "internal/holidays", "internal/breaker", "internal/certs", "internal/certs/certstest", "internal/crew", "internal/egress", "internal/intent", "internal/event", "internal/feed", "internal/explain",
		"internal/lifecycle", "internal/lifecycle/lifecycletest", "internal/marks", "internal/nap", "internal/pace", "internal/route",
		"internal/runlog", "internal/tries", "internal/message", "internal/plural", "internal/redact", "internal/machine", "internal/program", "internal/servernote")
	for rank, dir := range []string{"internal/failpoint", "internal/queue/journal", "internal/queue"} {
		places[dir] = place{1, "what is durable", rank}
	}
	places["internal/timerslack"], places["internal/process"] = place{1, "processes", 0}, place{1, "processes", 1}
	places["internal/redacted"], places["internal/credential"] = place{1, "secrets", 0}, place{1, "secrets", 1}
	places["internal/reason"], places["internal/template"], places["internal/alarmtext"] = place{1, "alarms' texts", 0}, place{1, "alarms' texts", 0}, place{1, "alarms' texts", 1}
	places["internal/logformat"], places["internal/errorline"] = place{1, "logs' texts", 0}, place{1, "logs' texts", 1}
	places["internal/terminal"], places["internal/output"], places["internal/pagetest"] = place{1, "speech", 0}, place{1, "speech", 1}, place{1, "speech", 2}
	// Floor 2: rooms, one step of the path each.
	put(2, "internal/backfill", "internal/broadcast", "internal/completer",
		"internal/registry", "internal/upkeep", "internal/alerting", "internal/alarmconfig", "internal/secrets", "internal/news", "internal/cluster", "internal/watch", "internal/executorauth", "internal/users",
		"internal/outbox", "internal/heartbeat", "internal/workflow", "internal/backup")
	// The dispatcher carries the planner's moves, unopened.
	for rank, dir := range []string{"internal/planner", "internal/dispatcher/waiting", "internal/dispatcher"} {
		places[dir] = place{2, "the path", rank}
	}
	// Commands and queries about jobs share the rows that they find.
	for rank, dirs := range [][]string{{"internal/jobs/jobrows"}, {"internal/jobs/jobstest"}, {"internal/jobs", "internal/queries", "internal/deadletters"}} {
		for _, dir := range dirs {
			places[dir] = place{2, "jobs", rank}
		}
	}
	family(2, "internal/runner", []string{"fence", "overlap", "taskrecord", "texts"}, []string{""})
	family(2, "internal/manifest", []string{"tree"}, []string{""})
	family(2, "internal/logbook", []string{""}, []string{"keeping", "reading"})
	// Floor 3: doors.
	family(3, "internal/store", []string{""}, []string{"sqlstore", "storetest", "dbtest", "schema"}, []string{"sqlite", "postgres", "mysql"})
	family(3, "internal/wire", []string{"fastpath", "http1", "jsontext"}, []string{"post"}, []string{"native/message", "xxl/dialect"}, []string{"native/signing", "native/mailbox"}, []string{"xxl", "native"}, []string{"orth", "xxladmin"})
	family(3, "internal/rest", []string{"operation", "browser"}, []string{"guard"},
		[]string{"accounts", "alarms", "executors", "jobs", "overview", "runs", "workflows"}, []string{""}, []string{"resttest"})
	family(3, "internal/blob", []string{"blobtest"}, []string{"folder", "s3"})
	family(3, "internal/notify", []string{"form", "call"}, []string{"email", "webhook", "dingtalk", "feishu", "wecom", "slack", "pagerduty"}, []string{""})
	family(3, "solana", []string{"thread"}, []string{"rpc"}, []string{"tpu", "failure"}, []string{"observe", "ownership", "ledger", "build", "submit"})
	family(3, "internal/xxlimport", []string{""}, []string{"database"})
	put(3, "internal/importer", "internal/queue/mem", "internal/queue/queuetest",
		"internal/control", "internal/observe", "internal/trace",
		"internal/oidc", "internal/mcp",
		"handler/script", "handler/groovy", "handler/javascript", "handler/command", "handler/httpcall",
		"client", "console", "wiretest")
	family(3, "solana", []string{"sbf"}, []string{"svmtest"}) // for tests
	// Floor 4: wiring.
	for rank, dirs := range [][]string{
		{"executor", "internal/reconcile", "internal/cutover", "internal/app/executors", "internal/app/oldadmin", "solana/service"},
		{"internal/reconcile/imports", "internal/app", "solana/control", "solana/report"},
		{"internal/cli/timing"},
		{"internal/cli/kit"},
		{"internal/cli/database", "internal/cli/documents", "internal/cli/logview"},
		{
			"internal/cli/alarms", "internal/cli/auditlog", "internal/cli/backfills", "internal/cli/calendars", "internal/cli/cluster", "internal/cli/contexts",
			"internal/cli/cron", "internal/cli/daemon", "internal/cli/deadletters", "internal/cli/executors", "internal/cli/importing", "internal/cli/jobaction",
			"internal/cli/jobedit", "internal/cli/jobs", "internal/cli/logs", "internal/cli/manifests", "internal/cli/overview", "internal/cli/pauses",
			"internal/cli/queues", "internal/cli/runs", "internal/cli/secrets", "internal/cli/storage", "internal/cli/users", "internal/cli/workflows",
		},
		{"internal/cli", "internal/sim", "solana/cli"},
		{"cmd/orth", "solana/cmd/orth-solana"},
	} {
		for _, dir := range dirs {
			places[dir] = place{4, "wiring", rank}
		}
	}
	// Floor 5: what runs the whole from outside. Nothing imports it.
	put(5, ".", "bench", "internal/e2e", "internal/mutants", "solana/demo", "solana/e2e")
	return places
}

// examples are programs for readers: each directory below stands on top.
const examples = "examples/"

// placeOf returns where a package stands.
func placeOf(dir string) (place, bool) {
	if strings.HasPrefix(dir, examples) {
		return place{floor: 5}, true
	}
	p, placed := places()[dir]
	return p, placed
}

// floorsRule finds packages without a place and imports that do not go down.
func floorsRule(h *house) (findings []string) {
	for _, dir := range h.dirs() {
		from, placed := placeOf(dir)
		if !placed {
			findings = append(findings, fmt.Sprintf(
				"%s has no place: decide its floor with a line in places, floors_test.go", dir))
			continue
		}
		for _, imported := range h.packages[dir].imports() {
			target, ours := local(imported)
			if !ours {
				continue
			}
			if to, placed := placeOf(target); placed && !mayImport(from, to) {
				findings = append(findings, fmt.Sprintf("%s imports %s: a %s must not import a %s",
					dir, target, floorNames[from.floor], floorNames[to.floor]))
			}
		}
	}
	return findings
}

func mayImport(from, to place) bool {
	if from.floor != to.floor {
		return to.floor < from.floor
	}
	return from.family != "" && from.family == to.family && to.rank < from.rank
}

// wordsRule finds words that import more than pure packages of the standard
// library.
func wordsRule(h *house) (findings []string) {
	pure := []string{
		"bytes", "cmp", "encoding", "encoding/json", "errors", "fmt", "iter", "maps", "math", "math/bits",
		"regexp", "regexp/syntax", "slices", "sort", "strconv", "strings", "time", "unicode", "unicode/utf8",
	}
	for _, dir := range h.dirs() {
		if p, placed := placeOf(dir); !placed || p.floor != 0 {
			continue
		}
		for _, imported := range h.packages[dir].imports() {
			if _, ours := local(imported); !ours && !slices.Contains(pure, imported) {
				findings = append(findings, fmt.Sprintf(
					"%s imports %s: words use only pure packages of the standard library", dir, imported))
			}
		}
	}
	return findings
}

// sdkRule finds what the SDK must not carry into other people's programs: SQL,
// the console, Solana, the server, and any module that is not listed here.
func sdkRule(h *house) (findings []string) {
	roots := []string{
		"executor", "client", "handler", "handler/script", "handler/groovy", "handler/command", "handler/httpcall",
	}
	modules := []string{"golang.org/x/sys"}
	banned := []string{
		"database/sql", "internal/store", "console", "solana",
		"internal/rest", "internal/app", "internal/cli", "internal/planner", "internal/dispatcher",
	}
	within := func(name string, prefixes []string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return name == p || strings.HasPrefix(name, p+"/") })
	}
	via := map[string]string{} // how each package was reached
	queue := slices.Clone(roots)
	for _, root := range roots {
		via[root] = root
	}
	for ; len(queue) > 0; queue = queue[1:] {
		r, exists := h.packages[queue[0]]
		if !exists {
			continue
		}
		for _, imported := range r.imports() {
			target, ours := local(imported)
			if !ours {
				target = imported
			}
			switch {
			case within(target, banned), external(imported) && !within(imported, modules):
				findings = append(findings, fmt.Sprintf("the SDK reaches %s: %s → %s", target, via[r.dir], target))
			case ours && via[target] == "":
				via[target] = via[r.dir] + " → " + target
				queue = append(queue, target)
			}
		}
	}
	return findings
}

// maxDepth is the longest chain of imports that is allowed, in packages.
const maxDepth = 12

// depthRule finds a chain of imports that is too long.
func depthRule(h *house) (findings []string) {
	depth := map[string]int{}
	var measure func(dir string) int
	measure = func(dir string) int {
		if known, seen := depth[dir]; seen {
			return known
		}
		depth[dir] = 1 // ends the walk of a cycle, which the compiler refuses anyway
		deepest := 0
		if r := h.packages[dir]; r != nil {
			for _, imported := range r.imports() {
				if target, ours := local(imported); ours {
					deepest = max(deepest, measure(target))
				}
			}
		}
		depth[dir] = deepest + 1
		return depth[dir]
	}
	for _, dir := range h.dirs() {
		if n := measure(dir); n > maxDepth {
			findings = append(findings, fmt.Sprintf("%s stands on a chain of %d packages, at most %d are allowed", dir, n, maxDepth))
		}
	}
	return findings
}

// decisionsRule finds modules that are imported, by code or tests, and that no
// record in docs/decisions explains.
func decisionsRule(h *house) (findings []string) {
	var records strings.Builder
	for name, text := range h.papers {
		if strings.HasSuffix(name, ".md") {
			records.WriteString(text)
		}
	}
	var modules []string
	for name, text := range h.papers {
		if path.Base(name) != "go.mod" {
			continue
		}
		for line := range strings.Lines(text) {
			words := strings.Fields(strings.TrimPrefix(line, "require "))
			if len(words) >= 2 && strings.HasPrefix(words[1], "v") {
				modules = append(modules, words[0])
			}
		}
	}
	seen := map[string]bool{}
	for _, dir := range h.dirs() {
		for _, s := range h.packages[dir].files {
			for _, imported := range s.imports() {
				module := longest(modules, imported)
				if !external(imported) || seen[module] || strings.Contains(records.String(), "`"+module+"`") {
					continue
				}
				seen[module] = true
				findings = append(findings, fmt.Sprintf(
					"%s imports %s: no record in docs/decisions names %#q", s.name, imported, module))
			}
		}
	}
	return findings
}

// modulesRule finds files of the main module, also tests, that import another module of
// this repository: with that the main one could not be built from its versions.
func modulesRule(h *house) (findings []string) {
	for _, dir := range h.dirs() {
		if inWing(dir) {
			continue
		}
		for _, s := range h.packages[dir].files {
			for _, imported := range s.imports() {
				if target, ours := local(imported); ours && inWing(target) {
					findings = append(findings, fmt.Sprintf("%s imports %s: the main module is built without its wings", s.name, target))
				}
			}
		}
	}
	return findings
}

// longest returns the module that an import comes from, or the import itself
// when go.mod names none.
func longest(modules []string, imported string) string {
	best := ""
	for _, m := range modules {
		if (imported == m || strings.HasPrefix(imported, m+"/")) && len(m) > len(best) {
			best = m
		}
	}
	if best == "" {
		return imported
	}
	return best
}

// rules returns every rule of the house by its name.
func rules() map[string]func(*house) []string {
	return map[string]func(*house) []string{
		"floors":     floorsRule,
		"words":      wordsRule,
		"sdk":        sdkRule,
		"depth":      depthRule,
		"decisions":  decisionsRule,
		"modules":    modulesRule,
		"names":      namesRule,
		"foreign":    foreignWordsRule,
		"comments":   commentsRule,
		"documented": documentedRule,
		"sizes":      sizesRule,
		"interfaces": interfacesRule,
		"init":       initRule,
	}
}

func TestFloors(t *testing.T) {
	t.Parallel()
	h, err := readHouse(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	for name, rule := range rules() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, finding := range rule(h) {
				t.Error(finding)
			}
		})
	}
}
