package logs

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/cli/logview"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/job"
)

// searchFlags holds the flags of a log search.
type searchFlags struct {
	grep, regexp string
	fold         bool
	context      int
	limit        int
}

func (s *searchFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&s.grep, "grep", "", "print only lines that contain this `text`")
	flags.StringVar(&s.regexp, "regexp", "", "print only lines that match this RE2 `expression`")
	flags.BoolVarP(&s.fold, "ignore-case", "i", false, "ignore case")
	flags.IntVarP(&s.context, "context", "C", 0, "number of context `lines` around each match")
	flags.IntVar(&s.limit, "limit", 1000, "maximum number of matching `lines`")
}

func (s *searchFlags) text() string { return kit.FirstOf(s.grep, s.regexp) }

func (s *searchFlags) check() error {
	switch {
	case s.grep != "" && s.regexp != "":
		return output.Usagef("--grep and --regexp are mutually exclusive")
	case s.text() == "" && (s.fold || s.context != 0):
		return output.Usagef("--ignore-case and --context require --grep or --regexp")
	case s.context < 0 || s.context > job.MaxLogContext:
		return output.Usagef("--context: must be between 0 and %d, got %d", job.MaxLogContext, s.context)
	case s.limit < 1:
		return output.Usagef("--limit: must be at least 1, got %d", s.limit)
	}
	return nil
}

// search returns the next request after a number of matches.
func (s *searchFlags) search(found int) client.LogSearch {
	return client.LogSearch{
		Text: s.text(), Regexp: s.regexp != "", Fold: s.fold, Context: s.context, Limit: min(s.limit-found, job.MaxLogHits), For: searchSlice,
	}
}

// searchSlice is the time limit of one search request.
const searchSlice = 10 * time.Second

// grepLog prints the matching lines of an attempt's log.
func grepLog(ctx context.Context, t *kit.Tool, v *logview.Follower, p *logview.Printer, f *runLogFlags) error {
	all := api.LogHits{Hits: []api.LogHit{}}
	q := client.RunLogSearch{Attempt: v.Number, From: v.From}
	last := 0
	for {
		q.LogSearch = f.words.search(len(all.Hits))
		found, err := v.Client.SearchLog(ctx, v.Run, q)
		if err != nil {
			return err
		}
		if !t.ForPrograms() {
			if last, err = printHits(p, found.Hits, last); err != nil {
				return err
			}
		}
		all.Hits, all.Lines, all.Logs = append(all.Hits, found.Hits...), all.Lines+found.Lines, found.Logs
		all.Complete, all.Next, all.Note = found.Complete, found.Next, found.Note
		if found.Complete || found.Next == "" || len(all.Hits) >= f.words.limit {
			break
		}
		next, err := strconv.Atoi(found.Next)
		if err != nil || next <= q.From {
			return fmt.Errorf("invalid search position from the server: line %q does not follow line %d", found.Next, q.From)
		}
		q.From = next
	}
	return searched(t, all, f.words.limit)
}

// searched finishes a search: it prints the JSON result, or notes for people.
func searched(t *kit.Tool, all api.LogHits, limit int) error {
	if t.ForPrograms() {
		return t.Encode(all)
	}
	switch {
	case len(all.Hits) >= limit && !all.Complete:
		t.PrintNote("More matches may exist; raise --limit to list them.")
	case !all.Complete:
		t.PrintNote("The search is incomplete: %s.", all.Note)
	case len(all.Hits) == 0:
		t.PrintNote("No match in %d lines.", all.Lines)
	}
	return nil
}

// printHits prints the matches of one log and their context lines, each once; last is the
// number of the last printed line, 0 for none.
func printHits(p *logview.Printer, hits []api.LogHit, last int) (int, error) {
	for i, hit := range hits {
		first := hit.Line - len(hit.Before)
		if last > 0 && first > last+1 && (len(hit.Before) > 0 || i > 0 && len(hits[i-1].After) > 0) {
			if _, err := fmt.Fprintln(p.To, "--"); err != nil {
				return last, fmt.Errorf("print the log: %w", err)
			}
		}
		show := func(number int, mark, line string) error {
			if number <= last || mark == "-" && i+1 < len(hits) && number >= hits[i+1].Line {
				return nil
			}
			last = number
			return p.Found(number, mark, line)
		}
		for j, line := range hit.Before {
			if err := show(first+j, "-", line); err != nil {
				return last, err
			}
		}
		if err := show(hit.Line, ":", hit.Text); err != nil {
			return last, err
		}
		for j, line := range hit.After {
			if err := show(hit.Line+1+j, "-", line); err != nil {
				return last, err
			}
		}
	}
	return last, nil
}

// NewJobLogsCommand returns the command orth job logs.
func NewJobLogsCommand(t *kit.Tool) *cobra.Command {
	var s searchFlags
	var since, until string
	color, noColor, raw, state := logview.NewColorChoice(), false, false, kit.NewStateChoice()
	cmd := &cobra.Command{
		Use: "logs KEY", Aliases: []string{"log"}, Short: "Search the logs of a job's runs, newest first", Args: cobra.ExactArgs(1),
		Long: "Print the matching lines of the stored logs of a job's runs.\n" +
			"To read the log of one run use 'orth run log ID'.",
		Example: "  orth job logs report --grep 'connection refused'\n  orth job logs report --regexp 'took [0-9]{4,}ms' --since 24h --state failed",
		RunE: func(cmd *cobra.Command, args []string) error {
			if s.text() == "" {
				return output.Usagef("--grep or --regexp is required; %s lists the runs", t.CommandLineIn("run", "list", "--job", args[0]))
			}
			if err := s.check(); err != nil {
				return err
			}
			q := client.JobLogSearch{State: job.State(state.Word())}
			var err error
			if q.Since, q.Until, err = logTimes(t, &runLogFlags{since: since, until: until}); err != nil {
				return err
			}
			p := logview.Printer{To: t.Stdout, Strip: logview.StripsColors(t, color.Value, noColor), Raw: raw}
			return grepJob(cmd.Context(), t, args[0], &s, q, &p)
		},
	}
	flags := cmd.Flags()
	s.add(flags)
	flags.Var(&state, "state", "only runs in this state")
	flags.StringVar(&since, "since", "", "only attempts dispatched since this `time`: 2030-01-31T08:00, or 24h for a day ago")
	flags.StringVar(&until, "until", "", "only attempts dispatched before this `time`")
	flags.Var(&color, "color", "when to keep colors; auto keeps them on a terminal")
	flags.BoolVar(&noColor, "no-color", false, "same as --color never")
	flags.BoolVar(&raw, "raw", false, "keep the markup of XXL-JOB executors, such as <br>")
	return cmd
}

// grepJob prints the matching lines of a job's logs.
func grepJob(ctx context.Context, t *kit.Tool, key string, s *searchFlags, q client.JobLogSearch, p *logview.Printer) error {
	c, err := t.Connect()
	if err != nil {
		return err
	}
	defer c.Close()
	all := api.LogHits{Hits: []api.LogHit{}}
	for {
		q.LogSearch = s.search(len(all.Hits))
		found, err := c.SearchJobLogs(ctx, key, q)
		if err != nil {
			return err
		}
		if !t.ForPrograms() {
			if err := printHitsByRun(p, found.Hits); err != nil {
				return err
			}
		}
		all.Hits, all.Lines, all.Logs = append(all.Hits, found.Hits...), all.Lines+found.Lines, all.Logs+found.Logs
		all.Complete, all.Next, all.Note = found.Complete, found.Next, found.Note
		if found.Complete || found.Next == "" || found.Next == q.Before || len(all.Hits) >= s.limit {
			return searched(t, all, s.limit)
		}
		q.Before = found.Next
	}
}

// printHitsByRun prints matches grouped by run and attempt.
func printHitsByRun(p *logview.Printer, hits []api.LogHit) error {
	for len(hits) > 0 {
		n := 1
		for n < len(hits) && hits[n].RunID == hits[0].RunID && hits[n].Attempt == hits[0].Attempt {
			n++
		}
		if _, err := fmt.Fprintf(p.To, "run %s, attempt %d\n", hits[0].RunID, hits[0].Attempt); err != nil {
			return fmt.Errorf("print the log: %w", err)
		}
		if _, err := printHits(p, hits[:n], 0); err != nil {
			return err
		}
		hits = hits[n:]
	}
	return nil
}
