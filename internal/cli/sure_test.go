package cli_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/cli"
	"github.com/orthd/orth/internal/cli/kit"
)

// Where nobody can be asked, what takes away does nothing without --yes and says so.
func TestSureRefuses(t *testing.T) {
	t.Parallel()
	server := newFake(t, nil)
	for _, line := range []string{
		"job delete report", "calendar rm office", "workflow delete nightly", "group delete edge", "group token remove edge 7", "user delete ada",
		"token revoke 12", "alarm rule delete nightly", "alarm channel rm ops", "alarm silence delete 5", "run prune report --all",
	} {
		r := orth(t.Context(), server.env(), strings.Fields(line)...)
		if r.code != 2 || !strings.Contains(r.stderr, "--yes") {
			t.Errorf("%s: exit code %d, %s", line, r.code, r.stderr)
		}
	}
	if seen := server.seen(); seen != "" {
		t.Errorf("the server was asked: %s", seen)
	}
	r := orth(t.Context(), newFake(t, map[string][]string{"POST /runs/clean": {`200 {"removed":3,"more":false}`}}).env(), "run", "prune", "report", "--all", "--dry-run")
	if r.code != 0 {
		t.Errorf("what is only tried is asked about: %s", r.stderr)
	}
}

// Every command whose name says that it takes something away for good has --yes.
func TestWhatTakesAwayAsks(t *testing.T) {
	t.Parallel()
	harmless := map[string]string{
		"orth context delete":   "it forgets where a server is, and nothing of the server",
		"orth executor remove":  "an address can be entered again",
		"orth executors remove": "an address can be entered again",
		"orth user revoke":      "a role can be given again",
	}
	var check func(cmd *cobra.Command)
	asked := 0
	check = func(cmd *cobra.Command) {
		if slices.Contains([]string{"delete", "remove", "revoke", "prune", "clean", "purge", "bulk"}, cmd.Name()) && harmless[cmd.CommandPath()] == "" && !cmd.HasSubCommands() {
			if cmd.Flags().Lookup("yes") == nil {
				t.Errorf("%s asks nobody", cmd.CommandPath())
			}
			asked++
		}
		for _, sub := range cmd.Commands() {
			check(sub)
		}
	}
	check(cli.New(kit.Config{}))
	if asked < 14 {
		t.Errorf("only %d commands take something away", asked)
	}
}
