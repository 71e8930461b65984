package cli_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/solana/cli"
	"github.com/orthd/orth/solana/svmtest"
	"github.com/orthd/orth/solana/thread"
)

// nodeOf is a node that reports its chain, and answers nothing else; "" reports nothing at
// all.
func nodeOf(t *testing.T, genesis string) (address string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			ID     int64
			Method string
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || asked.Method != "getGenesisHash" || genesis == "" {
			http.Error(w, "not here", http.StatusNotFound)
			return
		}
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%d,"result":%q}`, asked.ID, genesis)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// A node of ours works with nodes of one chain, and with the data folder of the same.
func TestOneChain(t *testing.T) {
	t.Parallel()
	one, other := solana.Hash(thread.Key{1}).String(), solana.Hash(thread.Key{2}).String()
	first, second, third, silent := nodeOf(t, one), nodeOf(t, one), nodeOf(t, other), nodeOf(t, "")
	for name, c := range map[string]struct {
		nodes []string
		made  string // the chain in the data folder
		want  string // of the run; "": it runs
		holds string
	}{
		"one chain":            {nodes: []string{first, second}, holds: one},
		"one says nothing":     {nodes: []string{silent, first}, holds: one},
		"nobody says anything": {nodes: []string{silent}},
		"two chains":           {nodes: []string{first, silent, third}, want: "are nodes of different chains"},
		"the same folder":      {nodes: []string{first}, made: one + "\n", holds: one},
		"a folder of another":  {nodes: []string{first}, made: other + "\n", want: "holds the ledger of another chain", holds: other},
		"a note that was cut":  {nodes: []string{first}, made: other[:5], holds: one},
		"an old folder":        {nodes: []string{silent}, made: other, holds: other},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			key := svmtest.Wallet("executor")
			for file, text := range map[string]string{
				"key": key.String(), "chain": c.made,
				"node.yaml": "endpoints: ['" + strings.Join(c.nodes, "', '") + "']\nkeypair: " + filepath.Join(folder, "key") + "\ndata: " + folder + "\nlisten: 'off'\nsubmit: rpc\n",
			} {
				if text == "" {
					continue
				}
				if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var out, errs lines
			ctx, cancel := context.WithCancel(t.Context())
			out.first = cancel // it reports that it runs: that is all that is wanted
			code := cli.Execute(ctx, []string{"run", "--config", filepath.Join(folder, "node.yaml")}, cli.Config{Stdout: &out, Stderr: &errs, Stdin: strings.NewReader("")})
			cancel()
			if (c.want != "") != (code == 2) || !strings.Contains(errs.String(), c.want) || (c.want == "") != (out.String() != "") {
				t.Errorf("exit code %d, %s%s", code, out.String(), errs.String())
			}
			held, err := os.ReadFile(filepath.Join(folder, "chain"))
			if got := strings.TrimSpace(string(held)); got != c.holds || (err != nil) != (c.holds == "") {
				t.Errorf("the folder is of the chain %q, want %q: %v", got, c.holds, err)
			}
			text, _, _ := command(t, "doctor", "--config", filepath.Join(folder, "node.yaml"), "--no-headers", "--columns", "CHECK,STATUS,SAYS")
			want := "ok"
			switch {
			case c.want != "":
				want = "fail"
			case c.holds == "" || len(c.nodes) == 1 && c.nodes[0] == silent:
				want = "warn"
			}
			if !strings.Contains(strings.Join(strings.Fields(text), " "), "chain "+want+" ") {
				t.Errorf("the doctor says, want %s:\n%s", want, text)
			}
		})
	}
}

// lines keeps what is written, and reports the first.
type lines struct {
	strings.Builder

	first func()
}

func (l *lines) Write(p []byte) (int, error) {
	if l.first != nil {
		l.first()
	}
	return l.Builder.Write(p)
}
