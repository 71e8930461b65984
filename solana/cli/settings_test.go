package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/job"
)

// given loads settings as 'run' does, and returns what is wrong with them in a line.
func given(t *testing.T, file string, environ []string, flags ...string) (*settings, string) {
	t.Helper()
	s := new(settings)
	f := settingFlags(s)
	if err := f.Parse(flags); err != nil {
		return s, err.Error()
	}
	path := ""
	if file != "" {
		path = filepath.Join(t.TempDir(), "node.yaml")
		if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	err := s.loadAll(f, path, environ)
	if err == nil {
		return s, ""
	}
	if !job.Is(err, job.Invalid) {
		t.Errorf("%v is no error of settings", err)
	}
	message, _ := explain(err)
	if path != "" {
		message = strings.ReplaceAll(message, path, "node.yaml")
	}
	return s, message
}

const least = "endpoints: [https://a.example]\nkeypair: k.json\n"

func TestSettingsThatAreWrong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file    string
		environ []string
		flags   []string
		want    string
	}{
		"nothing":               {want: "--endpoints: there is no node"},
		"no key":                {file: "endpoints: [https://a.example]", want: "--keypair: there is no key"},
		"an unknown key":        {file: least + "wrokers: 3\n", want: `node.yaml:3: "wrokers" is not a setting`},
		"a key twice":           {file: least + "workers: 3\nworkers: 4\n", want: "node.yaml:4: workers stands there twice"},
		"no YAML":               {file: "a: b: c\n", want: "node.yaml: mapping values are not allowed in this context"},
		"a list":                {file: "- a\n", want: "node.yaml: a file of settings has lines such as 'keypair: executor.json'"},
		"no number":             {file: least + "workers: many\n", want: `node.yaml:3: workers: "many" is not an integer`},
		"neither":               {file: least + "share: maybe\n", want: `node.yaml:3: share: "maybe" must be true or false`},
		"beyond all":            {file: least + "floor: 99999999999999999999\n", want: `node.yaml:3: floor: "99999999999999999999" is out of range`},
		"no unit":               {file: least + "timeout: 5\n", want: `node.yaml:3: timeout: "5" is not a duration such as 500ms, 30s or 1h30m`},
		"a list for one":        {file: least + "workers: [1, 2]\n", want: "node.yaml:3: workers: takes one value"},
		"too many":              {file: least + "workers: 5000\n", want: "node.yaml:3: workers: 5000 is not between 1 and 1000"},
		"no duration":           {file: least + "timeout: soon\n", want: `node.yaml:3: timeout: "soon" is not a duration such as`},
		"too long":              {environ: []string{"ORTH_SOLANA_DRAIN_FOR=2h"}, file: least, want: "ORTH_SOLANA_DRAIN_FOR: drain-for: 2h0m0s is not between 0s and 1h0m0s"},
		"an unknown variable":   {environ: []string{"ORTH_SOLANA_WROKERS=3"}, file: least, want: "ORTH_SOLANA_WROKERS: is not a setting"},
		"a profile":             {flags: []string{"--profile", "old"}, file: least, want: `--profile: `},
		"a mode":                {file: least + "submit: pigeon\n", want: "node.yaml:3: submit: "},
		"no floor":              {file: least + "floor: 0\n", want: "node.yaml:3: floor: 0 lamports are no floor"},
		"below nothing":         {file: least + "floor: -1\n", want: `node.yaml:3: floor: "-1" is not a non-negative integer`},
		"a level":               {file: least + "log-level: loud\n", want: `node.yaml:3: log-level: "loud" is unknown; use debug, info, warn or error`},
		"a format":              {file: least + "log-format: xml\n", want: `node.yaml:3: log-format: "xml" is unknown; use text, json or auto`},
		"no port":               {file: least + "listen: localhost\n", want: `node.yaml:3: listen: "localhost" is no host:port, such as 127.0.0.1:6180`},
		"a name":                {file: least + "listen: example.com:6180\n", want: `node.yaml:3: listen: "example.com" is no address of this machine`},
		"open to all":           {file: least + "listen: 0.0.0.0:6180\n", want: "node.yaml:3: listen: 0.0.0.0:6180 can be reached from other machines, and there is no token"},
		"open to all too":       {file: least + "listen: ':6180'\n", want: "node.yaml:3: listen: :6180 can be reached from other machines, and there is no token"},
		"a server's token":      {file: least + "api-token-file: t\n", want: "node.yaml:3: api-token-file: there is no server to use it with"},
		"no token for servers":  {file: least + "servers: [http://s.example]\n", want: "node.yaml:3: servers: servers take executors with a token alone, and there is none"},
		"a group":               {file: least + "servers: [http://s.example]\ngroup: a b\n", want: "node.yaml:4: group: "},
		"no server":             {file: least + "group-token-file: t\nservers: s.example\n", want: `node.yaml:4: servers: "s.example" is no URL of a server: write it such as http://127.0.0.1:8080`},
		"a server in a server":  {file: least + "servers: [[http://s.example]]\n", want: "node.yaml:3: servers: takes a list of values"},
		"a server's password":   {file: least + "group-token-file: t\nservers: http://s.example?key=secret\n", want: `node.yaml:4: servers: "http://s.example" is no URL of a server`},
		"no list of nodes":      {file: "endpoints: https://a.example\n", want: "node.yaml:1: endpoints: takes a list of nodes, such as '- url: https://example.com'"},
		"a node without url":    {file: "endpoints:\n  - role: reading\n", want: "node.yaml:1: endpoints: node 1, line 2: a node has no url"},
		"an option of a node":   {file: "endpoints:\n  - url: https://a.example\n    weight: 3\n", want: `node.yaml:1: endpoints: node 1, line 3: "weight" is no option of a node: the options are url, ws, role, rate, burst`},
		"a role":                {file: "endpoints:\n  - url: https://a.example\n    role: king\n", want: `node.yaml:1: endpoints: node 1, line 3: role: "king" is no role: use everything, reading or submitting`},
		"a rate":                {file: "endpoints:\n  - url: https://a.example\n    rate: 0\n", want: `node.yaml:1: endpoints: node 1, line 3: rate: "0" is no number of requests a second, above 0 and up to 100000`},
		"a burst":               {file: "endpoints:\n  - url: https://a.example\n    burst: 1.5\n", want: `node.yaml:1: endpoints: node 1, line 3: burst: "1.5" is no number of requests at once, 1 to 100000`},
		"a websocket over HTTP": {file: "endpoints:\n  - url: https://a.example\n    ws: https://a.example\n", want: "node.yaml:1: endpoints: node 1, line 3: ws: a node's address begins with ws:// or wss:// and has a host"},
		"another scheme":        {environ: []string{"ORTH_SOLANA_ENDPOINTS=ftp://secret.example/key"}, want: "ORTH_SOLANA_ENDPOINTS: node 1: url: a node's address begins with http:// or https:// and has a host"},
		"nobody to read":        {environ: []string{"ORTH_SOLANA_ENDPOINTS=https://a.example;role=submitting"}, want: "ORTH_SOLANA_ENDPOINTS: no node may be asked what is on the chain: give one the role everything or reading"},
		"nobody to submit":      {environ: []string{"ORTH_SOLANA_ENDPOINTS=https://a.example;role=reading"}, want: "ORTH_SOLANA_ENDPOINTS: no node may be given transactions: give one the role everything or submitting"},
		"too many nodes":        {environ: []string{"ORTH_SOLANA_ENDPOINTS=https://a" + strings.Repeat(",https://b", 16)}, want: "ORTH_SOLANA_ENDPOINTS: 17 nodes are too many: 16 are possible"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, got := given(t, c.file, c.environ, c.flags...)
			if !strings.HasPrefix(got, c.want) || got == "" {
				t.Errorf("it says %q, want %q", got, c.want)
			}
			if strings.Contains(got, "secret") {
				t.Errorf("%q shows an address", got)
			}
		})
	}
}

// A flag wins over the environment, and that over the file; where each came from is known.
func TestWhatCounts(t *testing.T) {
	t.Parallel()
	s, wrong := given(t, least+"workers: 3\nin-flight: 30\nbatch: 3\ntimeout: 3s\n", []string{"ORTH_SOLANA_WORKERS=4", "ORTH_SOLANA_IN_FLIGHT=40", "ORTH_SOLANA_CONFIG=x", "OTHER=1"}, "--workers", "5")
	if wrong != "" {
		t.Fatal(wrong)
	}
	if s.Workers != 5 || s.InFlight != 40 || s.Batch != 3 || s.Timeout != 3*time.Second || s.Floor != 10_000_000 {
		t.Errorf("%+v", s)
	}
	for name, want := range map[string]string{"workers": fromFlag, "in-flight": "ORTH_SOLANA_IN_FLIGHT", "floor": ""} {
		if got := s.from[name]; got != want {
			t.Errorf("%s comes from %q, want %q", name, got, want)
		}
	}
	if from := s.from["batch"]; !strings.HasSuffix(from, "node.yaml:5") {
		t.Errorf("batch comes from %q", from)
	}
}

func TestEndpoints(t *testing.T) {
	t.Parallel()
	s, wrong := given(t, "keypair: k\nendpoints:\n  - https://a.example/key;rate=5\n  - url: http://127.0.0.1:8899\n    role: submitting\n  - url: http://b.example\n    ws: wss://c.example/x\n    burst: 7\n", nil)
	if wrong != "" {
		t.Fatal(wrong)
	}
	for i, want := range []endpoint{
		{URL: "https://a.example/key", WS: "wss://a.example/key", Role: roleEverything, Rate: 5},
		{URL: "http://127.0.0.1:8899", WS: "ws://127.0.0.1:8900", Role: roleSubmitting},
		{URL: "http://b.example", WS: "wss://c.example/x", Role: roleEverything, Burst: 7},
	} {
		got := s.Endpoints.list[i]
		if got.WS = got.websocket(); got != want {
			t.Errorf("node %d is %+v, want %+v", i+1, got, want)
		}
	}
	for _, one := range s.effective(settingFlags(s)) {
		if strings.Contains(one.Value, "key;") || strings.Contains(one.Value, "/key") {
			t.Errorf("%+v shows an address", one)
		}
	}
}

// The example has every setting, and each with its default but for those that must be named.
func TestExampleSettings(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "..", "examples", "orth-solana.yaml")
	s, fresh := new(settings), new(settings)
	f, defaults := settingFlags(s), settingFlags(fresh)
	if err := s.loadAll(f, path, nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range settingNames(f) {
		if s.from[name] == "" {
			t.Errorf("%s is missing in the example", name)
		}
		is, was := f.Lookup(name).Value.String(), defaults.Lookup(name).Value.String()
		if must := name == "endpoints" || name == "keypair" || name == "data"; !must && is != was {
			t.Errorf("%s is %q in the example, and %q by default", name, is, was)
		}
	}
}

// The table in the handbook is the one of the code.
func TestDocumentedSettings(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "solana.md"))
	if err != nil {
		t.Fatal(err)
	}
	f := settingFlags(new(settings))
	for _, name := range settingNames(f) {
		def := f.Lookup(name).DefValue
		if def == "" {
			def = "-"
		}
		if row := "| `" + name + "` | " + def + " | "; !strings.Contains(string(text), row) {
			t.Errorf("docs/solana.md has no row that begins with %q", row)
		}
	}
}

// An address that is none may hold a key all the same: it is not repeated.
func TestWrongEndpointsAreNotRepeated(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	code := Execute(t.Context(), []string{"run", "--endpoints", "https://a.example/?api-key=hush-hush,b"}, Config{Stdout: &out, Stderr: &out, Environ: []string{}})
	if text := out.String(); code != 2 || !strings.Contains(text, "--endpoints: node 2: url: a node's address begins with") || strings.Contains(text, "hush-hush") {
		t.Errorf("exit code %d, %s", code, text)
	}
}
