package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/solana/control"
	"github.com/orthd/orth/solana/ledger"
	"github.com/orthd/orth/solana/service"
)

func (t *tool) queueCommand() *cobra.Command {
	return parent(
		&cobra.Command{
			Use: "queue", Short: "Look into the executions that a node wants, and mend them",
			Long: "Look into the executions that a node wants, and mend them: what is scheduled, what is on its way (processing), and what was\n" +
				"given up (dead). The node may run or be stopped.",
			Example: "  orth-solana queue list --place dead\n  orth-solana queue redrive --all",
		},
		t.queueListCommand(), t.queueShowCommand(), t.queueRedriveCommand(), t.queuePurgeCommand(), t.queueStatsCommand(),
		t.queueBackupCommand(), t.queueRetryCommand(),
	)
}

// folder is the data folder that is meant.
func (t *tool) folder() (string, error) {
	if t.data != "" {
		return t.data, nil
	}
	if path := t.getenv(envName("data")); path != "" {
		return path, nil
	}
	path := t.file
	if path == "" {
		path = t.getenv(envName(configFlag))
	}
	if path == "" {
		return defaultData, nil
	}
	s, err := t.settings()
	if err != nil {
		return "", err
	}
	return s.Data, nil
}

// callNode calls fn with the node of the data folder: with the one that runs there, or else with the folder itself, which stays locked
// until fn returns.
func (t *tool) callNode(ctx context.Context, fn func(c *control.Client) error) (err error) {
	folder, err := t.folder()
	if err != nil {
		return err
	}
	client, err := control.Dial(ctx, folder)
	if job.Is(err, job.NotFound) {
		var closing func() error
		if client, closing, err = t.local(ctx, folder); err == nil {
			defer func() { err = errors.Join(err, closing()) }()
		}
	}
	if err != nil {
		return err
	}
	defer client.Close()
	return fn(client)
}

// local opens the data folder of a stopped node.
func (t *tool) local(ctx context.Context, folder string) (*control.Client, func() error, error) {
	if !hasLedger(folder) {
		if _, err := os.ReadDir(folder); errors.Is(err, fs.ErrPermission) {
			return nil, nil, &job.Error{
				Kind: job.Forbidden, Message: fmt.Sprintf("the data folder %s belongs to another user", folder), Hint: "run the command as the user who runs the node",
			}
		}
		return nil, nil, &job.Error{
			Kind: job.NotFound, Message: "no node has worked in " + folder,
			Hint: "name the data folder of a node with --data, or its settings with --config",
		}
	}
	logger := slog.New(slog.NewTextHandler(t.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	book, err := service.OpenLedger(folder, ledger.Config{Logger: logger})
	if job.Is(err, job.Conflict) {
		return nil, nil, &job.Error{
			Kind: job.Conflict, Message: fmt.Sprintf("a node runs on %s and cannot be asked, or a newer version wrote the folder: %v", folder, err),
			Hint: "it may be starting or stopping: try again; a node with 'listen: off' cannot be asked", Err: err,
		}
	}
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 1)
	go func() { ended <- book.Run(ctx) }()
	client := control.Local(control.Config{
		About: control.About{Version: t.Version}, Ledger: book, Changes: stopped{book}, Files: func() map[string]int64 { return ledgerFiles(folder) }, Logger: logger,
	}, folder)
	return client, func() error {
		cancel()
		return errors.Join(<-ended, book.Close())
	}, nil
}

func (t *tool) queueListCommand() *cobra.Command {
	place, limit := "", 0
	cmd := &cobra.Command{
		Use: "list", Short: "List executions by their place, the oldest first", Args: cobra.NoArgs,
		Example: "  orth-solana queue list\n  orth-solana queue list --place dead --limit 50 -o json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			places, err := placesOf(place)
			if err != nil {
				return err
			}
			if limit < 1 {
				return usagef("--limit: %d is no number of executions", limit)
			}
			return t.callNode(cmd.Context(), func(c *control.Client) error {
				all := []control.Task{}
				for _, place := range places {
					var after uint64
					for len(all) < limit {
						page, err := c.Tasks(cmd.Context(), place, after, min(limit-len(all), control.MaxPage))
						if err != nil {
							return err
						}
						all = append(all, page.Tasks...)
						if after = page.Next; after == 0 {
							break
						}
					}
				}
				if len(all) == limit {
					t.printMessage("these are the first %d; --limit shows more", limit)
				}
				return t.listTasks(all)
			})
		},
	}
	cmd.Flags().StringVar(&place, "place", "", "only those at this `place`: scheduled, processing or dead")
	cmd.Flags().IntVar(&limit, "limit", 200, "most executions that are listed")
	return cmd
}

// placesOf returns the places that a word means; none means all.
func placesOf(word string) (places []string, err error) {
	for _, p := range ledger.Places() {
		if word == "" || word == p.String() {
			places = append(places, p.String())
		}
	}
	if len(places) == 0 {
		return nil, usagef("--place: %q is no place: use scheduled, processing or dead", word)
	}
	return places, nil
}

// checkIDs finds what is no name of an execution.
func checkIDs(args []string) error {
	for _, arg := range args {
		if _, err := ledger.ParseID(arg); err != nil {
			return usagef("ID: %q is none: it is a number of digits, as 'orth-solana queue list' shows it", arg)
		}
	}
	return nil
}

func (t *tool) listTasks(all []control.Task) error {
	return t.printResult(all, func(p *output.Printer) error {
		rows := make([][]string, len(all))
		for i, task := range all {
			reason, class := "", ""
			if f := task.Failure; f != nil {
				reason, class = f.Reason, f.Class
			}
			name := task.ThreadID
			if name == "" {
				name = task.Thread
			}
			if task.Unknown {
				reason = "written by a newer version"
			}
			rows[i] = []string{
				task.ID, task.Place, name, execText(task.Exec), t.formatTime(task.NextAt.Time), strconv.Itoa(task.Tries), class, reason, task.Thread, t.formatTime(task.DueAt.Time), task.Trigger,
			}
		}
		return p.Table("ID STATE THREAD EXEC NEXT TRIES CLASS REASON | ADDRESS DUE TRIGGER", rows)
	})
}

// execText is which execution of a thread one is.
func execText(n uint64) string {
	if n == 0 {
		return "-"
	}
	return strconv.FormatUint(n, 10)
}

func (t *tool) queueShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Show an execution, and why it stands where it stands", Args: cobra.ExactArgs(1),
		Example: "  orth-solana queue show 5577006791947779410",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkIDs(args); err != nil {
				return err
			}
			return t.callNode(cmd.Context(), func(c *control.Client) error {
				task, err := c.Task(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				return t.printResult(task, func(p *output.Printer) error { return p.Sheet(t.taskSheet(&task)) })
			})
		},
	}
}

// taskSheet is a task as people read it.
func (t *tool) taskSheet(task *control.Task) [][2]string {
	at := func(a api.Time) string {
		if a.IsZero() {
			return ""
		}
		return t.formatTime(a.Time)
	}
	pairs := [][2]string{{"ID", task.ID}, {"State", task.Place}}
	if task.Unknown {
		return append(pairs, [2]string{"Note", "written by a newer version of the program, and kept as it is"})
	}
	next := "Next try"
	if task.Place == ledger.Dead.String() {
		next = "Given up"
	}
	pairs = append(
		pairs, [2]string{"Thread", task.Thread}, [2]string{"Name", task.ThreadID}, [2]string{"Trigger", task.Trigger}, [2]string{"Execution", execText(task.Exec)},
		[2]string{"Due", at(task.DueAt)}, [2]string{"Known", at(task.CreatedAt)}, [2]string{next, at(task.NextAt)}, [2]string{"Tries", strconv.Itoa(task.Tries)},
	)
	if f := task.Failure; f != nil {
		pairs = append(pairs, [2]string{"Class", f.Class}, [2]string{"Reason", f.Reason}, [2]string{"Failed", at(f.At)}, [2]string{"Program log", strings.Join(f.Logs, "\n")})
	}
	if f := task.Flight; f != nil {
		pairs = append(
			pairs, [2]string{"Signature", f.Signature}, [2]string{"Sent", at(f.SentAt)}, [2]string{"Valid up to", fmt.Sprintf("block height %d", f.LastValid)},
			[2]string{"Fibers", strconv.Itoa(f.Fibers)}, [2]string{"Compute", fmt.Sprintf("%d units at %d micro lamports", f.Units, f.Price)},
			[2]string{"Fee", lamports(f.Fee)}, [2]string{"Expected", signed(int64(f.After) - int64(f.Before))},
		)
	}
	return pairs
}

// lamports shows an amount, in SOL as well.
func lamports(n uint64) string {
	return fmt.Sprintf("%s (%s SOL)", plural.Count(n, "lamport"), formatSOL(int64(n)))
}

// signed shows a difference of lamports.
func signed(n int64) string { return fmt.Sprintf("%+d lamports (%s SOL)", n, formatSOL(n)) }

// formatSOL is an amount in SOL with all its digits.
func formatSOL(n int64) string {
	sign, rest := "", uint64(n)
	if n < 0 {
		sign, rest = "-", uint64(-n)
	}
	return fmt.Sprintf("%s%d.%09d", sign, rest/1_000_000_000, rest%1_000_000_000)
}

// selected returns the dead letters that a command line names.
func selected(args []string, all bool) (control.Selection, error) {
	switch {
	case all && len(args) > 0:
		return control.Selection{}, usagef("ID and --all exclude each other")
	case !all && len(args) == 0:
		return control.Selection{}, usagef("name the ID of each dead letter, or take --all")
	case len(args) > control.MaxTasks:
		return control.Selection{}, usagef("%d are too many: %d are possible at once", len(args), control.MaxTasks)
	}
	return control.Selection{IDs: args, All: all}, checkIDs(args)
}

func (t *tool) queueRedriveCommand() *cobra.Command {
	all := false
	cmd := &cobra.Command{
		Use: "redrive [ID]...", Short: "Have dead letters tried again, with all their tries",
		Example: "  orth-solana queue redrive 5577006791947779410\n  orth-solana queue redrive --all",
		RunE: func(cmd *cobra.Command, args []string) error {
			selection, err := selected(args, all)
			if err != nil {
				return err
			}
			return t.callNode(cmd.Context(), func(c *control.Client) error {
				n, err := c.Redrive(cmd.Context(), selection)
				if err != nil {
					return err
				}
				return t.printDone(control.Changed{Tasks: n}, "%s redriven", plural.Count(n, "dead letter"))
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "redrive all dead letters")
	return cmd
}

func (t *tool) queuePurgeCommand() *cobra.Command {
	all, yes := false, false
	cmd := &cobra.Command{
		Use: "purge [ID]...", Short: "Remove dead letters for good",
		Example: "  orth-solana queue purge 5577006791947779410\n  orth-solana queue purge --all --yes",
		RunE: func(cmd *cobra.Command, args []string) error {
			selection, err := selected(args, all)
			if err != nil {
				return err
			}
			what := plural.Count(len(args), "dead letter")
			if all {
				what = "all dead letters"
			}
			if sure, err := t.confirmed(yes, "Remove "+what+" for good?"); err != nil || !sure {
				return err
			}
			return t.callNode(cmd.Context(), func(c *control.Client) error {
				n, err := c.Purge(cmd.Context(), selection)
				if err != nil {
					return err
				}
				return t.printDone(control.Changed{Tasks: n}, "%s removed", plural.Count(n, "dead letter"))
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "remove all dead letters")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

func (t *tool) queueBackupCommand() *cobra.Command {
	return &cobra.Command{
		Use: "backup FILE", Short: "Copy the ledger into a file, while the node works or is stopped", Args: cobra.ExactArgs(1),
		Long: "Copy the ledger into a file, while the node works or is stopped. The file must not exist.\n\n" +
			"To go back to the copy, unpack it (tar -xf FILE) into an empty folder " + ledgerName + " in a data folder, and start a node on it: what\n" +
			"has been executed since is seen on the chain, and is not executed again.",
		Example: "  orth-solana queue backup ledger-2030-01-31.tar",
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.callNode(cmd.Context(), func(c *control.Client) error {
				size, err := output.WriteNew(args[0], func(w io.Writer) error { return c.Backup(cmd.Context(), w) })
				if err != nil {
					return err
				}
				return t.printDone(map[string]any{"file": args[0], "bytes": size}, "the ledger is copied into %s (%d bytes)", args[0], size)
			})
		},
	}
}
