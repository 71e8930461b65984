package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/solana/control"
	"github.com/orthd/orth/solana/observe"
	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/thread"
)

// threads returns a page of the threads that are watched, by key.
func (n *node) threads(after thread.Key, limit int) []control.Thread {
	tracked := n.observer.Threads()
	slices.SortFunc(tracked, func(a, b observe.Tracked) int { return bytes.Compare(a.Thread[:], b.Thread[:]) })
	from := 0
	if !after.IsZero() {
		at, found := slices.BinarySearchFunc(tracked, after, func(a observe.Tracked, key thread.Key) int { return bytes.Compare(a.Thread[:], key[:]) })
		if from = at; found {
			from++
		}
	}
	tracked = tracked[from:]
	page := make([]control.Thread, 0, min(limit, len(tracked)))
	for _, one := range tracked[:min(limit, len(tracked))] {
		page = append(page, control.ThreadOf(n.profile, one.Thread, one.State, one.Slot))
	}
	return page
}

func (t *tool) threadsCommand() *cobra.Command {
	chain, limit := false, 0
	cmd := &cobra.Command{
		Use: "threads", Short: "List the threads of the program, those that are due first at the top", Args: cobra.NoArgs,
		Long: "List the threads of the program, those that are due first at the top: as the running node sees them, or as the chain has them\n" +
			"when no node runs on the data folder, or with --chain. Profit is what they have brought this executor.",
		Example: "  orth-solana threads\n  orth-solana threads --config node.yaml --chain -o wide",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 1 {
				return usagef("--limit: %d is no number of threads", limit)
			}
			all, err := t.findThreads(cmd.Context(), chain)
			if err != nil {
				return err
			}
			sortThreads(all)
			if len(all) > limit {
				t.printMessage("these are the first %d of %d; --limit shows more", limit, len(all))
				all = all[:limit]
			}
			return t.listThreads(all)
		},
	}
	cmd.Flags().BoolVar(&chain, "chain", false, "ask the chain, even if a node runs")
	cmd.Flags().IntVar(&limit, "limit", 200, "most threads that are listed")
	return cmd
}

// mostListed bounds the threads that a command reads.
const mostListed = 100_000

// findThreads returns the threads that the running node watches, or those of the chain.
func (t *tool) findThreads(ctx context.Context, chain bool) (all []control.Thread, err error) {
	folder, err := t.folder()
	if err != nil {
		return nil, err
	}
	client, err := control.Dial(ctx, folder)
	switch {
	case err == nil:
		defer client.Close()
	case !job.Is(err, job.NotFound):
		return nil, err
	}
	if client != nil && !chain {
		for after := ""; len(all) < mostListed; {
			page, err := client.Threads(ctx, after, control.MaxPage)
			if err != nil {
				return nil, err
			}
			all = append(all, page.Threads...)
			if after = page.Next; after == "" {
				break
			}
		}
	} else if all, err = t.chainThreads(ctx); err != nil {
		return nil, err
	}
	accounts, err := t.accounts(ctx)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if net, known := accounts[all[i].Key]; known {
			all[i].Net = &net
		}
	}
	return all, nil
}

// accounts returns what each thread has brought, of the node of the data folder; nothing where none has worked.
func (t *tool) accounts(ctx context.Context) (map[string]int64, error) {
	nets := make(map[string]int64)
	err := t.callNode(ctx, func(c *control.Client) error {
		for after := ""; ; {
			page, err := c.Profit(ctx, after, control.MaxPage)
			if err != nil {
				return err
			}
			for _, a := range page.Threads {
				nets[a.Thread] = a.Net
			}
			if after = page.Next; after == "" {
				return nil
			}
		}
	})
	if job.Is(err, job.NotFound) {
		return nets, nil
	}
	return nets, err
}

// chainThreads asks the chain for all threads.
func (t *tool) chainThreads(ctx context.Context) ([]control.Thread, error) {
	s, err := t.settings()
	if err != nil {
		return nil, err
	}
	profile, err := thread.ProfileOf(s.Profile)
	if err != nil {
		return nil, err
	}
	nodes, err := openNodes(s, rpc.Hooks{})
	if err != nil {
		return nil, settingsError{err}
	}
	filter := thread.ThreadFilter()
	found, slot, err := nodes.ProgramAccounts(ctx, rpc.Confirmed, profile.Program, filter[:])
	if err != nil {
		return nil, chainError("ask for the threads", err)
	}
	var all []control.Thread
	odd := 0
	for _, account := range found {
		state, err := profile.DecodeThread(account.Account.Data)
		if err != nil {
			odd++
			continue
		}
		all = append(all, control.ThreadOf(profile, account.Key, state, slot))
	}
	if odd > 0 {
		t.printMessage("%s left out: their data are none that the profile %s knows", plural.Count(odd, "account"), profile.Name)
	}
	return all, nil
}

// chainError is what it means that no node has answered.
func chainError(what string, err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return &job.Error{Kind: job.Unreachable, Message: fmt.Sprintf("%s: %v", what, err), Hint: "'orth-solana doctor' looks at each node", Err: err}
}

// sortThreads puts those that are due first at the top: what waits for no time comes behind, what is paused last.
func sortThreads(all []control.Thread) {
	rank := func(t *control.Thread) int {
		switch {
		case t.Next == "now":
			return 0
		case !t.NextAt.IsZero():
			return 1
		case t.Paused || t.Next == "never":
			return 3
		}
		return 2
	}
	slices.SortFunc(all, func(a, b control.Thread) int {
		if by := rank(&a) - rank(&b); by != 0 {
			return by
		}
		if by := a.NextAt.Compare(b.NextAt.Time); by != 0 {
			return by
		}
		return strings.Compare(a.Key, b.Key)
	})
}

func (t *tool) listThreads(all []control.Thread) error {
	if all == nil {
		all = []control.Thread{}
	}
	return t.printResult(all, func(p *output.Printer) error {
		rows := make([][]string, len(all))
		for i, one := range all {
			next, fiber, profit := one.Next, "-", "-"
			if !one.NextAt.IsZero() {
				next = t.formatTime(one.NextAt.Time)
			}
			if one.Fiber != nil {
				fiber = strconv.Itoa(int(*one.Fiber))
			}
			if one.Net != nil {
				profit = formatSOL(*one.Net)
			}
			name := one.ID
			if name == "" {
				name = one.Key
			}
			rows[i] = []string{
				name, next, one.Trigger, strconv.FormatUint(one.Exec, 10), fiber, profit, one.Key, strconv.Itoa(one.Fibers), one.LastExecutor, one.Authority,
			}
		}
		return p.Table("THREAD NEXT TRIGGER EXEC FIBER PROFIT | KEY FIBERS LAST-EXECUTOR AUTHORITY", rows)
	})
}

func (t *tool) profitCommand() *cobra.Command {
	limit := 0
	cmd := &cobra.Command{
		Use: "profit", Short: "Show what executions have brought and cost, in total and by thread", Args: cobra.NoArgs,
		Example: "  orth-solana profit\n  orth-solana profit -o json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 1 {
				return usagef("--limit: %d is no number of threads", limit)
			}
			return t.callNode(cmd.Context(), func(c *control.Client) error {
				var all control.Profit
				for after := ""; ; {
					page, err := c.Profit(cmd.Context(), after, min(control.MaxPage, limit-len(all.Threads)))
					if err != nil {
						return err
					}
					page.Threads = append(all.Threads, page.Threads...)
					all = page
					if after = page.Next; after == "" || len(all.Threads) >= limit {
						break
					}
				}
				return t.printResult(all, func(p *output.Printer) error {
					row := func(name string, a control.Account) []string {
						return []string{
							name, strconv.FormatUint(a.Executions, 10), strconv.FormatUint(a.Failures, 10), formatSOL(int64(a.Earned)), formatSOL(int64(a.Spent)), formatSOL(a.Net),
						}
					}
					rows := [][]string{row("all", all.Total)}
					for _, a := range all.Threads {
						rows = append(rows, row(a.Thread, a))
					}
					if all.Rest != (control.Account{}) {
						rows = append(rows, row("others", all.Rest))
					}
					return p.Table("THREAD EXECUTIONS FAILURES EARNED SPENT NET", rows)
				})
			})
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 200, "most threads that are listed")
	return cmd
}
