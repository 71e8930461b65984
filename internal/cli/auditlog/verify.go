package auditlog

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
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// verified is the result of a verification.
type verified struct {
	Lines  int64  `json:"lines"`
	Anchor string `json:"anchor"`
}

func newVerifyCommand(t *kit.Tool) *cobra.Command {
	var anchor, file string
	cmd := &cobra.Command{
		Use: "verify", Short: "Verify that no entry was changed, removed or inserted", Args: cobra.NoArgs,
		Long: "Verify that no entry was changed, removed or inserted. The command reads and checks the entries itself and does not\n" +
			"rely on the server. It prints the first invalid entry and fails. Entries that 'orth audit prune' removed must be\n" +
			"recorded by an entry.\n\n" +
			"The command prints an anchor: the number and the digest of the last entry. Store it where nobody with write access\n" +
			"to the database can write, and pass it to the next verification. This detects a truncated or rebuilt chain.",
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
				line := line(l)
				return true, check.Add(&line)
			}
			if err := readAudit(t, cmd, file, take); err != nil {
				return tampered(err)
			}
			lines, end, err := check.End()
			if err != nil {
				return tampered(err)
			}
			return t.Show(verified{lines, end.String()}, func() error {
				_, err := fmt.Fprintf(t.Stdout, "%s verified\nanchor: %s\n", plural.Count(int(lines), "entry"), end)
				return err
			})
		},
	}
	cmd.Flags().StringVar(&anchor, "anchor", "", "anchor of an earlier verification, as `NUMBER:DIGEST`")
	cmd.Flags().StringVar(&file, "file", "", "verify this `file` of 'orth audit export' instead of the server; - reads standard input")
	return cmd
}

// readAudit calls take for all entries of a file or of the server.
func readAudit(t *kit.Tool, cmd *cobra.Command, file string, take func(*api.AuditLine) (bool, error)) error {
	if file == "" {
		c, err := t.Connect()
		if err != nil {
			return err
		}
		defer c.Close()
		return eachLine(cmd.Context(), c, client.AuditQuery{Oldest: true, Limit: kit.PageSize}, take)
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
			return job.FieldErrorf("--file", "is not an audit export: %w", err)
		}
		if more, err := take(&l); err != nil || !more {
			return err
		}
	}
}

// tampered sets the error kind of a broken chain, which determines the exit code.
func tampered(err error) error {
	if fault, is := errors.AsType[*audit.FaultError](err); is {
		return &job.Error{
			Kind: job.Conflict, Message: fault.Error(),
			Hint: "the database was modified outside the server, or is damaged: compare it with a backup or an export",
		}
	}
	return err
}

func line(l *api.AuditLine) audit.Line {
	return audit.Line{
		Seq: int64(l.Seq), At: l.At.Time, Actor: audit.Actor{Kind: l.ActorKind, ID: int64(l.ActorID), Credential: int64(l.Credential), Name: l.Actor},
		Address: l.Address, Operation: l.Operation, Right: l.Right, Kind: l.Kind, Namespace: l.Namespace, Group: l.Group, Key: l.Key,
		Before: string(l.Before), After: string(l.After), Previous: l.Previous, Digest: l.Digest,
	}
}
