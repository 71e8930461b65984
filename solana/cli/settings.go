package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/solana/submit"
	"github.com/orthd/orth/solana/thread"
)

// settings are what a node is run with. Each has a flag of 'orth-solana run', a key of the file and a variable of the
// environment; see settingFlags for the names.
type settings struct {
	Endpoints endpointList
	Timeout   time.Duration
	Profile   string
	Keypair   string
	Data      string

	Submit      string
	Fanout      int
	TPUIdentity string

	Workers  int
	InFlight int
	Batch    int
	Floor    uint64
	MostLoss uint64
	Forgo    bool
	DrainFor time.Duration

	Capacity   int
	KeepDead   int
	DeadFor    time.Duration
	MaxThreads int

	Share           bool
	TakeoverDelay   time.Duration
	LossesToRelease int

	Listen    string
	TokenFile string
	LogLevel  string
	LogFormat string

	Report serverSettings

	// from records the source of each setting that is not a default: a flag, the
	// environment, or a line of the file.
	from map[string]string
	file string
}

// defaultData is the data folder when none is named.
const defaultData = "orth-solana"

// settingFlags adds a flag for each setting, bound to s: they are the table of all settings.
func settingFlags(s *settings) *pflag.FlagSet {
	f := pflag.NewFlagSet("settings", pflag.ContinueOnError)
	f.SortFlags = false
	f.Var(&s.Endpoints, "endpoints", "`URL`s of nodes that are asked; with their options as URL;ws=URL;role=reading;rate=50;burst=100 (required)")
	f.DurationVar(&s.Timeout, "timeout", 10*time.Second, "how long a node may take to answer")
	f.StringVar(&s.Profile, "profile", "newest", "version of the thread program: newest or seed")
	f.StringVar(&s.Keypair, "keypair", "", "`file` with the executor's key, as solana-keygen writes it (required)")
	f.StringVar(&s.Data, "data", defaultData, "`folder` of the queue and of the control token; one process at a time works in it")
	f.StringVar(&s.Submit, "submit", string(submit.Both), "which ways transactions go: rpc, tpu, both, or tpu_with_fallback")
	f.IntVar(&s.Fanout, "tpu-fanout", 4, "to how many leaders a transaction goes, 1 to 16")
	f.StringVar(&s.TPUIdentity, "tpu-identity", "", "`file` with the key that leaders know the node by (default a new one without stake)")
	f.IntVar(&s.Workers, "workers", 10, "how many executions are built and sent at the same time, 1 to 1000")
	f.IntVar(&s.InFlight, "in-flight", 5000, "how many transactions may be on their way at the same time, 1 to 10000")
	f.IntVar(&s.Batch, "batch", 5, "most fibers that follow each other at once in one transaction, 1 to 5")
	f.Uint64Var(&s.Floor, "floor", 10_000_000, "`lamports` that the executor keeps: below it nothing is executed")
	f.Uint64Var(&s.MostLoss, "most-loss", 100_000, "`lamports` that one execution may cost at most, fees included")
	f.BoolVar(&s.Forgo, "forgo-commission", false, "leave the executor's commission to the threads")
	f.DurationVar(&s.DrainFor, "drain-for", 30*time.Second, "how long a stop waits for transactions that are on their way")
	f.IntVar(&s.Capacity, "capacity", 100_000, "most executions that wait or are on their way")
	f.IntVar(&s.KeepDead, "keep-dead", 10_000, "most dead letters that are kept")
	f.DurationVar(&s.DeadFor, "dead-for", 30*24*time.Hour, "how long dead letters are kept")
	f.IntVar(&s.MaxThreads, "max-threads", 100_000, "most threads that are watched")
	f.BoolVar(&s.Share, "share", true, "leave threads that another executor serves to it, while it does")
	f.DurationVar(&s.TakeoverDelay, "takeover-delay", 10*time.Second, "how long another's thread may be overdue before it is taken over")
	f.IntVar(&s.LossesToRelease, "losses-to-release", 5, "after how many executions by others in a row a thread is left to them")
	f.StringVar(&s.Listen, "listen", "127.0.0.1:6180", "`host:port` of metrics, health and control; off for none")
	f.StringVar(&s.TokenFile, "control-token-file", "", "`file` with the token of metrics and control beyond this machine (default one of its own in the data folder, for this machine alone)")
	f.StringVar(&s.LogLevel, "log-level", "info", "least level of log lines: debug, info, warn or error")
	f.StringVar(&s.LogFormat, "log-format", "auto", "text, json, or auto: text on a terminal and json elsewhere")
	serverFlags(f, &s.Report)
	return f
}

// settingNames returns the names of all settings, in their order.
func settingNames(f *pflag.FlagSet) (names []string) {
	f.VisitAll(func(flag *pflag.Flag) { names = append(names, flag.Name) })
	return names
}

// sourceOf returns how an error names a setting: where it was given, if that is not a flag.
func (s *settings) sourceOf(name string) string {
	if from, given := s.from[name]; given && from != fromFlag {
		return from + ": " + name
	}
	return "--" + name
}

// wrong returns the error of a setting.
func (s *settings) wrong(name, hint, format string, args ...any) error {
	return &job.Error{Kind: job.Invalid, Field: s.sourceOf(name), Message: fmt.Sprintf(format, args...), Hint: hint}
}

// check finds what is wrong with the settings by themselves, before a file is opened or a node is asked.
func (s *settings) check() error {
	if len(s.Endpoints.list) == 0 {
		return s.wrong("endpoints", "name the nodes to ask, such as https://api.mainnet-beta.solana.com", "there is no node")
	}
	if s.Keypair == "" {
		return s.wrong("keypair", "name the file of the executor's key; 'solana-keygen new --outfile executor.json' makes one", "there is no key")
	}
	if _, err := thread.ProfileOf(s.Profile); err != nil {
		return s.wrong("profile", "", "%v", err)
	}
	if _, err := submit.ParseMode(s.Submit); err != nil {
		return s.wrong("submit", "", "%v", err)
	}
	for _, bound := range []struct {
		name          string
		is, low, most int64
	}{
		{"tpu-fanout", int64(s.Fanout), 1, 16},
		{"workers", int64(s.Workers), 1, 1000},
		{"in-flight", int64(s.InFlight), 1, 10_000},
		{"batch", int64(s.Batch), 1, 5},
		{"capacity", int64(s.Capacity), 1, 10_000_000},
		{"keep-dead", int64(s.KeepDead), 1, 1_000_000},
		{"max-threads", int64(s.MaxThreads), 1, 1_000_000},
		{"losses-to-release", int64(s.LossesToRelease), 1, 1_000_000},
	} {
		if bound.is < bound.low || bound.is > bound.most {
			return s.wrong(bound.name, "", "%d is not between %d and %d", bound.is, bound.low, bound.most)
		}
	}
	for _, bound := range []struct {
		name          string
		is, low, most time.Duration
	}{
		{"timeout", s.Timeout, 100 * time.Millisecond, 5 * time.Minute},
		{"drain-for", s.DrainFor, 0, time.Hour},
		{"dead-for", s.DeadFor, time.Minute, 10 * 365 * 24 * time.Hour},
		{"takeover-delay", s.TakeoverDelay, 0, 24 * time.Hour},
	} {
		if bound.is < bound.low || bound.is > bound.most {
			return s.wrong(bound.name, "", "%v is not between %v and %v", bound.is, bound.low, bound.most)
		}
	}
	if s.Floor == 0 {
		return s.wrong("floor", "name what the executor needs for its fees, at least 1 lamport", "0 lamports are no floor")
	}
	if _, err := output.NewLogger(nil, s.LogLevel, "json"); err != nil {
		return s.wrong("log-level", "", "%q is unknown; use debug, info, warn or error", s.LogLevel)
	}
	if !slices.Contains([]string{"text", "json", "auto"}, s.LogFormat) {
		return s.wrong("log-format", "", "%q is unknown; use text, json or auto", s.LogFormat)
	}
	if err := s.checkServers(); err != nil {
		return err
	}
	return s.checkListen()
}

// envName returns the variable of the environment that is a setting.
func envName(name string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}
