package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/orthd/orth/client"
	"github.com/orthd/orth/executor"
	"github.com/orthd/orth/internal/certs"
	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/solana/report"
	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/thread"
)

// serverSettings set the Orth server that the node is an executor of. Without servers there
// is none.
type serverSettings struct {
	Servers        []string
	Group          string
	ExecutorToken  string // files
	GroupToken     string
	APIToken       string
	Namespace      string
	CA             string
	ExecutorListen string
	ExecutorURL    string
}

// reportFolder is where the executor of the server keeps its own files, in the data folder.
const reportFolder = "report"

// serverFlags adds the flags for the server's settings.
func serverFlags(f *pflag.FlagSet, s *serverSettings) {
	f.StringSliceVar(&s.Servers, "servers", nil, "base `URL`s of an Orth server, or of several on one database, that the node is an executor of (default none)")
	f.StringVar(&s.Group, "group", "solana", "app name of the node there: nodes of one group run the same jobs")
	f.StringVar(&s.ExecutorToken, "executor-token-file", "", "`file` with the server's executor key, of which the group's token is made")
	f.StringVar(&s.GroupToken, "group-token-file", "", "`file` with the group's own token, as 'orth group token add' printed it; either will do")
	f.StringVar(&s.APIToken, "api-token-file", "", "`file` with a token of the server's API: with it each execution becomes a run")
	f.StringVar(&s.Namespace, "namespace", job.DefaultNamespace, "namespace of the jobs that these runs are of")
	f.StringVar(&s.CA, "server-ca", "", "`file` with the authorities of the servers' certificates (default the system's)")
	f.StringVar(&s.ExecutorListen, "executor-listen", "", "`host:port` that servers call; without it the node fetches its tasks from them")
	f.StringVar(&s.ExecutorURL, "executor-address", "", "`URL` under which servers reach --executor-listen")
}

// takeList sets a setting that has several values to a value of the file.
func takeList(flag *pflag.Flag, list pflag.SliceValue, value *yaml.Node) error {
	items := []*yaml.Node{value}
	switch {
	case value.Kind == yaml.SequenceNode:
		items = value.Content
	case value.Tag == "!!null":
		items = nil
	case value.Kind == yaml.ScalarNode:
		return flag.Value.Set(value.Value)
	}
	texts := make([]string, 0, len(items))
	for _, item := range items {
		if item.Kind != yaml.ScalarNode {
			return errors.New("takes a list of values")
		}
		texts = append(texts, item.Value)
	}
	return list.Replace(texts)
}

// checkServers finds what is wrong with these settings by themselves.
func (s *settings) checkServers() error {
	r := &s.Report
	if len(r.Servers) == 0 {
		for _, name := range []string{"executor-token-file", "group-token-file", "api-token-file", "server-ca", "executor-listen", "executor-address"} {
			if _, given := s.from[name]; given && s.flagged(name) {
				return s.wrong(name, "name the server by servers, or leave this away", "there is no server to use it with")
			}
		}
		return nil
	}
	if err := job.CheckKey("group", r.Group); err != nil {
		return s.wrong("group", "", "%v", err)
	}
	if err := job.CheckKey("namespace", r.Namespace); err != nil {
		return s.wrong("namespace", "", "%v", err)
	}
	for _, address := range r.Servers {
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" {
			return s.wrong("servers", "", "%q is no URL of a server: write it such as http://127.0.0.1:8080", strings.SplitN(address, "?", 2)[0])
		}
	}
	if r.ExecutorToken == "" && r.GroupToken == "" {
		return s.wrong("servers", "'orth group token add "+r.Group+"' makes one for group-token-file", "servers take executors with a token alone, and there is none")
	}
	return nil
}

// flagged reports whether a setting has a value that is not empty.
func (s *settings) flagged(name string) bool {
	r := &s.Report
	return map[string]string{
		"executor-token-file": r.ExecutorToken, "group-token-file": r.GroupToken, "api-token-file": r.APIToken, "server-ca": r.CA,
		"executor-listen": r.ExecutorListen, "executor-address": r.ExecutorURL,
	}[name] != ""
}

// token reads the file of a token; an empty path is none.
func (s *settings) token(name, path string) (string, error) {
	if path == "" {
		return "", nil
	}
	text, err := credential.Load(path)
	if err != nil {
		return "", s.wrong(name, "", "%v", err)
	}
	return text.Reveal(), nil
}

// connectServer makes the reporter to the server, if there is one. The service exists
// already.
func (n *node) connectServer() (err error) {
	s := n.settings
	r := &s.Report
	if len(r.Servers) == 0 {
		return nil
	}
	folder, err := filepath.Abs(filepath.Join(s.Data, reportFolder))
	if err != nil {
		return err
	}
	c := report.Config{
		Servers: r.Servers, Group: r.Group, TLS: executor.TLS{ServerCA: r.CA}, Listen: r.ExecutorListen, Address: r.ExecutorURL, Data: folder,
		Namespace: r.Namespace, Work: n.service, Profile: n.profile, Key: n.key.Public(), Mode: s.Submit, Forgo: s.Forgo, Floor: s.Floor,
		Threads: n.observer.Threads, Clock: n.clock, Account: n.ledger.ProfitOf,
		Balance: func(ctx context.Context) (uint64, error) { return n.nodes.Balance(ctx, rpc.Confirmed, n.key.Public()) },
		Nodes:   func(now time.Time) []rpc.Status { return n.nodes.Status(now) }, Logger: n.logger.With("room", "report"),
	}
	if c.Token, err = s.token("executor-token-file", r.ExecutorToken); err != nil {
		return err
	}
	if c.GroupToken, err = s.token("group-token-file", r.GroupToken); err != nil {
		return err
	}
	if r.APIToken != "" {
		if c.API, err = s.apiClient(r.Servers[0]); err != nil {
			return err
		}
	}
	if n.report, err = report.New(c); err != nil {
		return fmt.Errorf("be an executor of %s: %w", strings.Join(r.Servers, ", "), err)
	}
	return nil
}

// keptReports is how many executions that ended wait in the ledger for the server.
const keptReports = 10_000

// reports is how many reports the ledger keeps: none without a server.
func (s *settings) reports() int {
	if len(s.Report.Servers) == 0 || s.Report.APIToken == "" {
		return 0
	}
	return keptReports
}

// apiClient returns a client of a server's API.
func (s *settings) apiClient(address string) (*client.Client, error) {
	token, err := s.token("api-token-file", s.Report.APIToken)
	if err != nil {
		return nil, err
	}
	c := client.Config{Address: address, Token: token, Namespace: s.Report.Namespace}
	if s.Report.CA != "" {
		authorities, err := certs.OpenAuthorities(s.sourceOf("server-ca"), s.Report.CA, nil)
		if err != nil {
			return nil, err
		}
		c.TLS = certs.Calling(nil, authorities)
	}
	return client.New(c)
}

// serverText names the server that the node is an executor of.
func (n *node) serverText() string {
	if n.report == nil {
		return ""
	}
	return fmt.Sprintf(", executor of group %s at %s", n.settings.Report.Group, hostOfServer(n.settings.Report.Servers[0]))
}

// clock is the newest tick of the chain's clock.
func (n *node) clock() thread.Clock {
	tick, _ := n.observer.Clock()
	return thread.Clock{Slot: tick.Slot, Epoch: tick.Epoch, Unix: tick.UnixTimestamp}
}
