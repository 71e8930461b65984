package sqlite

import (
	"database/sql"
	"flag"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

// TestPlans asks SQLite how it carries out each statement of sqlstore and
// compares the answers with testdata/plans.txt. None may scan a table or sort
// rows but those that have a reason, and for the tables that grow with what runs
// no reason is good enough.
func TestPlans(t *testing.T) {
	t.Parallel()
	excused := map[string]string{
		"countAlarmChannels":   "at most 200, for a new channel",
		"countAlarmRules":      "at most 500, for a new rule",
		"countAlarmSilences":   "at most 500, for a new silence",
		"forgetAlarmSilences":  "at most 500, for a new silence",
		"listAllAlarmChannels": "at most 200, for people or when definitions have changed",
		"listAllAlarmRules":    "at most 500, for people or when definitions have changed",
		"listAllAlarmSilences": "at most 500, for people or when definitions have changed",
		"countCalendars":       "at most 1,000, for a new calendar",
		"countAPITokens":       "at most 20,000, for a new token",
		"countUsers":           "at most 10,000, for a new user",
		"everyAPIToken":        "at most 20,000, when one of them or a user has changed",
		"everyUser":            "at most 10,000, when one of them or a token has changed",
		"otherAdministrators":  "the administrators, when one of them is to be none",
		"countGroups":          "at most 10,000, for a new group",
		"countLeases":          "at most 100,000, for a new executor",
		"countPauses":          "at most 1,000, for a new pause",
		"countWorking":         "at most 1,000 servers, when one of them is to drain",
		"pruneServers":         "at most 1,000 servers, once an hour",
		"listOldChanges":       "the first rows, so many at once",
		"listAtWork":           "at most 1,000 servers, at a beat",
		"listServers":          "at most 1,000 servers",
		"countWorkflows":       "at most 1,000, for a new workflow",
		"listAllCalendars":     "at most 1,000, when the rules have changed",
		"listHolders":          "at most 100,000, when one of them has changed",
		"listClosedGroups":     "at most 10,000, when tokens have changed",
		"listGroupKeys":        "at most 10,000, when the rules have changed and a pause names groups",
		"listGroups":           "at most 10,000, once per start",
		"listLeases":           "sorts the living executors",
		"listSuccessors":       "the executors of one group, when one of them has ended or restarted",
		"listPauses":           "at most 1,000, for people or when the rules have changed",
		"countFiringAlarms":    "at most 100,000, for people, once a second",
		"countOpenAttempts":    "at most 100,000, for people, once a second",
		"listBacklog":          "at most 100,000 runs, for people, once a second",
		"listFailing":          "at most 15,000 runs, for people, once a second",
		"countOpenLetters":     "at most 100,000, for people, once a second",
		"countPlannedJobs":     "at most 100,000, for people, once a second",
		"countWaitingRuns":     "at most 100,000, for people, once a second",
		"listWaitingDue":       "at most 10,000 groups, when a copy is put back",
		"countReady":           "at most 20,000, once a second while a server has no room for more",
		"countDueRuns":         "as many as a rule counts, every 10 s while they wait",
		"countHigherDue":       "at most 1,000, for people who ask why a run waits",
		"countEarlierDue":      "at most 1,000, for people who ask why a run waits",
		"countPastSecrets":     "at most 2,000, when a secret has a new value",
		"countSecrets":         "at most 2,000, when a secret has a new value",
		"oldestPastSecret":     "the first entry of the index",
		"listEveryCalendar":    "at most 1,000, for people",
		"listEveryWorkflow":    "at most 1,000, for people",
		"listEverySecret":      "at most 2,000, for people",
		"listAllSecrets":       "at most 2,000, when one of them has changed",
		"listPastSecrets":      "at most 2,000, when a secret has changed",
		"listRewrites":         "the groups with rules only, which the index holds",
		"listTook":             "at most 200, those of a page of the index",
		"listWatched":          "one for each job or group with something wrong, every 10 s",
		"rankRuns":             "at most 10,000 runs are sorted, which are those of some ids",
		"rankJobRuns":          "at most 10,000 runs are sorted, which are those of some ids",
		"rankGroupRuns":        "at most 10,000 runs are sorted, which are those of some ids",
		"rankBadRuns":          "at most 10,000 runs are sorted, which are those of some ids",
		"rankCauseRuns":        "at most 10,000 runs are sorted, which are those of some ids",
		"rankAskedRuns":        "at most 10,000 runs are sorted, which are those of some ids",
		"rankJobs":             "at most 20,000 jobs are sorted",
		"rankGroupJobs":        "at most 20,000 jobs are sorted",
		"rankJobTexts":         "at most 20,000 jobs are sorted",
		"rankGroupJobTexts":    "at most 20,000 jobs are sorted",
		"rankJobTextsDown":     "at most 20,000 jobs are sorted",
		"rankGroupTextsDown":   "at most 20,000 jobs are sorted",
		"advanceAll":           "some twenty rows, when the database has gone back",
		"countJobsTo":          "at most 20,001 entries of an index, for a list that is sorted",
		"countGroupJobsTo":     "at most 20,001 entries of an index, for a list that is sorted",
	}
	path := filepath.Join(t.TempDir(), "orth.db")
	mustClose(t, mustOpen(t, path, Config{}))
	db, err := openPool(path, 1, readSettings())
	if err != nil {
		t.Fatal(err)
	}
	defer closing(t, db)

	queries, needed := statements(t), map[string]bool{}
	if len(queries) < 40 {
		t.Fatalf("only %d statements were found", len(queries))
	}
	var golden strings.Builder
	for _, name := range slices.Sorted(maps.Keys(queries)) {
		fmt.Fprintf(&golden, "%s\n", name)
		for _, line := range explained(t, db, rebind(queries[name])) {
			fmt.Fprintf(&golden, "\t%s\n", line)
			if strings.Contains(line, "SCAN") || strings.Contains(line, "TEMP B-TREE") {
				if excused[name] == "" {
					t.Errorf("%s: %s", name, line)
				}
				needed[name] = true
			}
			if wrong := walks(queries[name], line); wrong != "" {
				t.Errorf("%s: %s: %s", name, line, wrong)
			}
		}
	}
	for name := range excused {
		if !needed[name] {
			t.Errorf("%s is excused and needs no excuse", name)
		}
	}
	compare(t, "plans.txt", golden.String())
}

// compare compares got with a golden file, which -update writes.
func compare(t *testing.T, name, got string) {
	t.Helper()
	name = filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("differs from %s (-want +got):\n%s", name, diff)
	}
}

// grown finds the tables of a statement that grow with what runs, and their
// other names.
var grown = regexp.MustCompile(`(?:FROM|JOIN|UPDATE|INTO) (runs|attempts|jobs|evidence|workflow_nodes|dead_letters)\b(?: ([a-z])\b)?`)

// walks says what is wrong about a line of a plan that goes through a table that
// grows: all of it, or all behind an id without a bound.
func walks(query, line string) string {
	for _, found := range grown.FindAllStringSubmatch(strings.Join(strings.Fields(query), " "), -1) {
		for _, name := range found[1:] {
			rest, its := strings.CutPrefix(strings.TrimPrefix(line, "SEARCH "), name+" ")
			switch {
			case name == "":
			case line == "SCAN "+name || strings.HasPrefix(line, "SCAN "+name+" "):
				return "it goes through all of " + found[1]
			case its && strings.Contains(rest, "PRIMARY KEY (rowid") && !strings.Contains(rest, "rowid=?") &&
				!strings.Contains(query, "LIMIT ?"):
				return "it goes through all of " + found[1] + " behind an id"
			}
		}
	}
	return ""
}

func TestWalks(t *testing.T) {
	t.Parallel()
	const joined = "SELECT 1 FROM backfills b\n\tJOIN runs r ON r.id = b.id WHERE r.id > ?"
	for _, c := range []struct {
		query, line string
		wrong       bool
	}{
		{"SELECT 1 FROM runs", "SCAN runs", true},
		{"SELECT 1 FROM runs", "SCAN runs USING COVERING INDEX runs_job", true},
		{"SELECT 1 FROM runs", "SEARCH runs USING INDEX runs_job (job_id=?)", false},
		{"DELETE FROM attempts WHERE id > ?", "SEARCH attempts USING INTEGER PRIMARY KEY (rowid>?)", true},
		{"UPDATE runs SET x = 1 WHERE id = ?", "SEARCH runs USING INTEGER PRIMARY KEY (rowid=?)", false},
		{joined, "SCAN r", true},
		{joined, "SCAN b", false},
		{joined, "SEARCH r USING INTEGER PRIMARY KEY (rowid>?)", true},
		{joined + " LIMIT ?", "SEARCH r USING INTEGER PRIMARY KEY (rowid>?)", false},
		{"SELECT 1 FROM pauses", "SCAN pauses", false},
	} {
		if wrong := walks(c.query, c.line); (wrong != "") != c.wrong {
			t.Errorf("%s: %s: %q", c.query, c.line, wrong)
		}
	}
}

// Statements are constants of the package, so that TestPlans sees them all.
func TestNoHiddenStatements(t *testing.T) {
	t.Parallel()
	files, parsed := sources(t)
	for _, file := range parsed {
		for _, declaration := range file.Decls {
			if general, ok := declaration.(*ast.GenDecl); ok && general.Tok == token.CONST {
				continue
			}
			ast.Inspect(declaration, func(n ast.Node) bool {
				if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING && verb(strings.Trim(text.Value, "`\"")) {
					t.Errorf("%s: %s is a statement and no constant of the package", files.Position(text.Pos()), text.Value)
				}
				return true
			})
		}
	}
}

// verb reports whether a text begins as a statement does.
func verb(text string) bool {
	for _, verb := range []string{"SELECT ", "INSERT ", "UPDATE ", "DELETE ", "WITH "} {
		if strings.HasPrefix(text, verb) {
			return true
		}
	}
	return false
}

// statements returns the constants of sqlstore that are statements, by name.
func statements(t *testing.T) map[string]string {
	t.Helper()
	files, parsed := sources(t)
	// Imports stay unknown; the statements need none.
	config := types.Config{Error: func(error) {}}
	pkg, _ := config.Check("sqlstore", files, parsed, nil) // incomplete on purpose
	found := map[string]string{}
	for _, name := range pkg.Scope().Names() {
		c, ok := pkg.Scope().Lookup(name).(*types.Const)
		if !ok || c.Val().Kind() != constant.String {
			continue
		}
		if text := constant.StringVal(c.Val()); verb(text) {
			found[name] = strings.ReplaceAll(strings.ReplaceAll(text, "%s", "?, ?, ?"), "%%", "%")
		}
	}
	return found
}

// sources returns the files of sqlstore.
func sources(t *testing.T) (*token.FileSet, []*ast.File) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("..", "sqlstore", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, file)
	}
	return files, parsed
}

func explained(t *testing.T, db *sql.DB, query string) []string {
	t.Helper()
	args := make([]any, strings.Count(query, "?"))
	rows, err := db.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	var lines []string
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, detail)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}
