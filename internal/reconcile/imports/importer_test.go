package imports

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/message"
	"github.com/orthd/orth/internal/xxlimport"
	"github.com/orthd/orth/job"
)

// codes are those that the API tells of.
func codes(t *testing.T) []string {
	t.Helper()
	field, ok := reflect.TypeFor[api.ImportFinding]().FieldByName("Code")
	if !ok {
		t.Fatal("findings have no code")
	}
	return strings.Split(field.Tag.Get("enum"), ",")
}

// Every sentence of what reads other schedulers has a code that the API tells of, and no
// code is without a sentence.
func TestCodesOfFindings(t *testing.T) {
	t.Parallel()
	call := regexp.MustCompile(`(?:\.addNote|message\.(?:New|Errorf|FromError))\(.*?"([a-z][a-z-]+)", "|message\.Wrap\(err, "([a-z-]+)"`)
	said := append(message.ScheduleCodes(), "more") // of [message.Omitted]
	for _, folder := range []string{"../../xxlimport", "../../importer"} {
		files, err := filepath.Glob(folder + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatal(folder, err)
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range call.FindAllStringSubmatch(string(text), -1) {
				said = append(said, found[1]+found[2])
			}
		}
	}
	slices.Sort(said)
	if said = slices.Compact(said); !slices.Equal(said, codes(t)) {
		t.Errorf("the API tells of %v, and findings have %v", codes(t), said)
	}
}

// A report tells as many findings one by one as it may, and how many more there are.
func TestFewFindings(t *testing.T) {
	t.Parallel()
	all := make([]api.ImportFinding, maxFindings, maxFindings+3)
	if got := firstFindings(all); len(got) != maxFindings {
		t.Errorf("%d findings of %d", len(got), maxFindings)
	}
	all = append(all, api.ImportFinding{Code: "no-handler"}, api.ImportFinding{Code: "child-loop"}, api.ImportFinding{Code: "no-handler"})
	got := firstFindings(all)
	if len(got) != maxFindings+2 {
		t.Fatalf("%d findings", len(got))
	}
	if last := got[maxFindings+1]; last.Code != "more" || !slices.Equal(last.Args, []string{"2", "no-handler"}) || last.Text == "" {
		t.Errorf("the last is %+v", last)
	}
	text := append(slices.Clone(all[:maxFindings]), api.ImportFinding{Code: "more", Args: []string{"7", "x"}})
	if got := firstFindings(text); len(got) != len(text) || got[maxFindings].Args[0] != "7" {
		t.Errorf("what a text has told already is lost: %+v", got[maxFindings:])
	}
}

func TestReadTexts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		wanted api.NewImport
		jobs   int
		want   api.ImportFinding
	}{
		{
			"a crontab",
			api.NewImport{Kind: api.ImportCrontab, Group: "ops", Zone: "UTC", Text: "@reboot /bin/a\n0 3 * * * /bin/b\n"},
			1,
			api.ImportFinding{Line: 1, Code: "at-reboot"},
		},
		{
			"an export",
			api.NewImport{Kind: api.ImportJSON, Group: "ops", Zone: "UTC", Text: `[{"jobDesc":"Bad","glueType":"BEAN","executorHandler":"x","scheduleType":"NONE","executorRouteStrategy":"NEAR"}]`},
			0,
			api.ImportFinding{Name: "bad", Code: "route-unknown"},
		},
		{
			"a crontab with a wrong hour",
			api.NewImport{Kind: api.ImportCrontab, Group: "ops", Zone: "UTC", Text: "0 25 * * * /bin/b\n"},
			0,
			api.ImportFinding{Line: 1, Name: "b", Code: "cron-hour"},
		},
	} {
		m, err := (&Importer{}).readMaterial(t.Context(), &c.wanted)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if len(m.objects) != c.jobs || m.report.Found.Jobs != c.jobs || len(m.report.Findings) != 1 {
			t.Errorf("%s: %d jobs, findings %+v", c.name, len(m.objects), m.report.Findings)
			continue
		}
		got := m.report.Findings[0]
		if got.Text == "" || !slices.Contains(codes(t), got.Code) {
			t.Errorf("%s: found %+v", c.name, got)
		}
		if got.Text, got.Args = "", nil; !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: found %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestRefusedImports(t *testing.T) {
	t.Parallel()
	i := &Importer{Read: func(context.Context, *api.NewImport) (xxlimport.Contents, error) {
		return xxlimport.Contents{}, job.Errorf(job.Unavailable, "nobody answers")
	}}
	for _, c := range []struct {
		wanted api.NewImport
		kind   job.Kind
	}{
		{api.NewImport{Kind: "punched cards"}, job.Invalid},
		{api.NewImport{Kind: api.ImportDatabase}, job.Invalid},
		{api.NewImport{Kind: api.ImportDatabase, Address: "jdbc:mysql://db/x", Role: "admin"}, job.Invalid},
		{api.NewImport{Kind: api.ImportDatabase, Address: "jdbc:mysql://db/x"}, job.Unavailable},
		{api.NewImport{Kind: api.ImportJSON, Text: "no JSON"}, job.Invalid},
		{api.NewImport{Kind: api.ImportCrontab, Namespace: "No Key"}, job.Invalid},
	} {
		if _, err := i.Import(t.Context(), c.wanted, nil); !job.Is(err, c.kind) {
			t.Errorf("%+v: %v, want %s", c.wanted, err, c.kind)
		}
	}
	i.busy.Lock()
	defer i.busy.Unlock()
	if _, err := i.Import(t.Context(), api.NewImport{}, nil); !job.Is(err, job.Full) {
		t.Errorf("a second import at the same time: %v", err)
	}
}
