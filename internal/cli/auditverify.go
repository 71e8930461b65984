package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/audit"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// verified is what a check has found.
type verified struct {
	Lines  int64  `json:"lines"`
	Anchor string `json:"anchor"`
}

func (t *tool) auditVerifyCommand() *cobra.Command {
	var anchor, file string
	cmd := &cobra.Command{
		Use: "verify", Short: "Check that no line was changed, removed or put in", Args: cobra.NoArgs,
		Long: "Check that no line was changed, removed or put in. The lines are read and checked here, so that no server is believed.\n" +
			"It names the first line that is bad, and fails. Of lines that 'orth audit prune' removed, it checks that a line says so.\n\n" +
			"It prints an anchor: the number of the last line and its digest. Keep it where nobody who can write to the database\n" +
			"can write, and give it to the next check: that finds also lines that were cut off at the end, and a chain that was\n" +
			"made anew as a whole.",
		Example: "  orth audit verify\n  orth audit verify --anchor \"$(cat anchor.txt)\"\n  orth audit verify --file audit.jsonl",
		RunE: func(cmd *cobra.Command, _ []string) error {
			var known *audit.Anchor
			if anchor != "" {
				a, err := audit.ParseAnchor(anchor)
				if err != nil {
					return err
				}
				known = &a
			}
			check := audit.NewChecker(known)
			take := func(l *api.AuditLine) (bool, error) {
				line := auditLine(l)
				return true, check.Add(&line)
			}
			if err := t.readAudit(cmd, file, take); err != nil {
				return tampered(err)
			}
			lines, end, err := check.End()
			if err != nil {
				return tampered(err)
			}
			return t.show(verified{lines, end.String()}, func() error {
				_, err := fmt.Fprintf(t.Stdout, "%s, and the chain is whole\nanchor: %s\n", plural.Count(int(lines), "line"), end)
				return err
			})
		},
	}
	cmd.Flags().StringVar(&anchor, "anchor", "", "what an earlier check has printed, as `NUMBER:DIGEST`")
	cmd.Flags().StringVar(&file, "file", "", "check what 'orth audit export' wrote to this `file`, and ask no server; - is standard input")
	return cmd
}

// readAudit calls take for all lines, of a file or of the server.
func (t *tool) readAudit(cmd *cobra.Command, file string, take func(*api.AuditLine) (bool, error)) error {
	if file == "" {
		c, err := t.connect()
		if err != nil {
			return err
		}
		defer c.Close()
		return eachLine(cmd.Context(), c, client.AuditQuery{Oldest: true, Limit: pageSize}, take)
	}
	in := io.NopCloser(t.Stdin)
	if file != "-" {
		opened, err := os.Open(file)
		if err != nil {
			return job.FieldErrorf("--file", "%w", err)
		}
		in = opened
	}
	defer in.Close()
	decoder := json.NewDecoder(in)
	for {
		var l api.AuditLine
		err := decoder.Decode(&l)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return job.FieldErrorf("--file", "is no export of an audit: %w", err)
		}
		if more, err := take(&l); err != nil || !more {
			return err
		}
	}
}

// tampered gives a fault of the chain the kind that its exit code comes from.
func tampered(err error) error {
	if fault, is := errors.AsType[*audit.FaultError](err); is {
		return &job.Error{
			Kind: job.Conflict, Message: fault.Error(),
			Hint: "somebody has written to the database past the server, or it was damaged: compare it with a backup, or an export",
		}
	}
	return err
}

func auditLine(l *api.AuditLine) audit.Line {
	return audit.Line{
		Seq: int64(l.Seq), At: l.At.Time, Actor: audit.Actor{Kind: l.ActorKind, ID: int64(l.ActorID), Credential: int64(l.Credential), Name: l.Actor},
		Address: l.Address, Operation: l.Operation, Right: l.Right, Kind: l.Kind, Namespace: l.Namespace, Group: l.Group, Key: l.Key,
		Before: string(l.Before), After: string(l.After), Previous: l.Previous, Digest: l.Digest,
	}
}
