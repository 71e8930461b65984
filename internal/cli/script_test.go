package cli_test

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/orthd/orth/internal/cli"
	"github.com/orthd/orth/internal/cli/kit"
)

// TestScripts runs the scripts of testdata/script: each is a session of somebody at a
// shell, with a server that answers as $SERVER. A command that ends with another code
// than 0 is written as: ! orth, and `code N` says with which; `typed FILE` is what the
// next one reads from its standard input.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			server := newFake(t, map[string][]string{
				"GET /jobs":             {`200 {"jobs":[` + byHand + `,` + ping + `,` + report + `]}`},
				"GET /jobs/report":      {"200 " + report},
				"GET /runs/" + runID:    {"200 " + failed},
				"GET /version":          {`200 {"version":"1.2.3"}`},
				"DELETE /tokens/5":      {"204 "},
				"POST /runs/5/cancel":   {`409 {"code":"conflict","detail":"run 5 is over already"}`},
				"GET /dead-letters/404": {`404 {"code":"not_found","detail":"there is none"}`},
			})
			env.Setenv("SERVER", server.URL)
			env.Setenv("ORTH_CONFIG", filepath.Join(env.WorkDir, "config", "config.yaml"))
			env.Values["kept"] = &kept{}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"orth": inProcess,
			"code": func(ts *testscript.TestScript, _ bool, args []string) {
				if k := keptOf(ts); len(args) != 1 || args[0] != strconv.Itoa(k.code) {
					ts.Fatalf("the exit code was %d, not %v", k.code, args)
				}
			},
			"typed": func(ts *testscript.TestScript, _ bool, args []string) { keptOf(ts).typed = ts.ReadFile(args[0]) },
		},
	})
}

// kept is what a script keeps from one command to the next: the exit code, and what is
// typed at the next one.
type kept struct {
	code  int
	typed string
}

func keptOf(ts *testscript.TestScript) *kept {
	k, ok := ts.Value("kept").(*kept)
	if !ok {
		ts.Fatalf("nothing is kept")
	}
	return k
}

// inProcess runs the orth command in this process.
func inProcess(ts *testscript.TestScript, neg bool, args []string) {
	k := keptOf(ts)
	k.code = cli.Execute(context.Background(), args, kit.Config{
		Stdout: ts.Stdout(), Stderr: ts.Stderr(), Stdin: strings.NewReader(k.typed), Getenv: ts.Getenv,
		Location: time.FixedZone("CST", 8*3600), Poll: time.Millisecond, Version: "1.2.3",
	})
	k.typed = ""
	if (k.code != 0) != neg {
		ts.Fatalf("the exit code is %d", k.code)
	}
}
