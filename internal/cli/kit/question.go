package kit

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/terminal"
)

// Confirm asks a question; only an explicit yes confirms.
func (t *Tool) Confirm(question string) (bool, error) {
	return output.Confirm(t.Stdin, t.Stderr, question)
}

// AsksAPerson reports whether the input is a terminal.
func AsksAPerson(in io.Reader) bool { return terminal.Is(in) }

// ConfirmFirst makes a command ask for confirmation before an irreversible action. The %s in
// question is replaced by the arguments. Without a terminal --yes is required. A dry run
// is not confirmed.
func (t *Tool) ConfirmFirst(cmd *cobra.Command, question string) *cobra.Command {
	run := cmd.RunE
	yes := cmd.Flags().Bool("yes", false, "do not ask for confirmation")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if dry := cmd.Flags().Lookup("dry-run"); *yes || dry != nil && dry.Value.String() == "true" {
			return run(cmd, args)
		}
		if !AsksAPerson(t.Stdin) {
			return output.Usagef("standard input is not a terminal, so confirmation of this irreversible action is impossible: add --yes")
		}
		if sure, err := t.Confirm(fmt.Sprintf(question, strings.Join(args, " "))); err != nil || !sure {
			return err
		}
		return run(cmd, args)
	}
	return cmd
}

// PipedPassword reads a password from standard input.
func (t *Tool) PipedPassword() (string, error) {
	password, err := terminal.ReadSecret(t.Stdin)
	if err == nil && password == "" {
		err = output.Usagef("--password-stdin: standard input contains no password")
	}
	return password, err
}

// TypedPassword reads a password from the terminal, twice.
func (t *Tool) TypedPassword(user string) (string, error) {
	if !terminal.Is(t.Stdin) {
		return "", output.Usagef("standard input is not a terminal: pass the password with --password-stdin")
	}
	var typed [2]string
	for i, question := range [...]string{"New password of " + user + ": ", "Repeat the password: "} {
		if _, err := t.Stderr.Write([]byte(question)); err != nil {
			return "", err
		}
		text, err := terminal.ReadSecret(t.Stdin)
		t.PrintNote("")
		if err != nil {
			return "", err
		}
		typed[i] = text
	}
	if typed[0] != typed[1] {
		return "", output.Usagef("the passwords differ; nothing was changed")
	}
	return typed[0], nil
}
