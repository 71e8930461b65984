package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (t *tool) manCommand() *cobra.Command {
	dir := ""
	cmd := &cobra.Command{
		Use: "man --dir DIR", DisableFlagsInUseLine: true, Short: "Write the manual pages of all commands", Args: cobra.NoArgs,
		Long:    "Write the manual pages of all commands, one file for each, in section 1. The folder is made if need be.",
		Example: "  orth man --dir /usr/local/share/man/man1\n  orth man --dir man1 && man ./man1/orth-job-create.1",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if dir == "" {
				return usagef("--dir is missing: name the folder for the pages")
			}
			if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // Manual pages are for everyone.
				return fmt.Errorf("write the manual pages: %w", err)
			}
			written := 0
			err := everyCommand(cmd.Root(), func(c *cobra.Command) error {
				written++
				return os.WriteFile(filepath.Join(dir, pageName(c)+".1"), []byte(t.page(c)), 0o644) //nolint:gosec // Manual pages are for everyone.
			})
			if err != nil {
				return fmt.Errorf("write the manual pages: %w", err)
			}
			t.tell("wrote %s into %s", counted(written, "page"), dir)
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "`folder` for the pages (required)")
	return cmd
}

// everyCommand does something for a command and all below it that users see.
func everyCommand(cmd *cobra.Command, do func(*cobra.Command) error) error {
	if err := do(cmd); err != nil {
		return err
	}
	for _, sub := range cmd.Commands() {
		if !sub.IsAvailableCommand() || sub.Name() == "help" {
			continue
		}
		if err := everyCommand(sub, do); err != nil {
			return err
		}
	}
	return nil
}

// pageName returns the name of a command's page, without the section.
func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// page returns the manual page of a command, as troff.
func (t *tool) page(cmd *cobra.Command) string {
	var page strings.Builder
	fmt.Fprintf(&page, ".TH %q 1 \"\" %q \"Orth\"\n", strings.ToUpper(pageName(cmd)), "orth "+t.Version)
	fmt.Fprintf(&page, ".SH NAME\n%s \\- %s\n", troff(pageName(cmd)), troff(cmd.Short))
	fmt.Fprintf(&page, ".SH SYNOPSIS\n.B %s\n", troff(cmd.UseLine()))
	page.WriteString(".SH DESCRIPTION\n")
	for paragraph := range strings.SplitSeq(firstOf(cmd.Long, cmd.Short), "\n\n") {
		fmt.Fprintf(&page, ".PP\n%s\n", troff(paragraph))
	}
	if cmd.Example != "" {
		fmt.Fprintf(&page, ".SH EXAMPLES\n.nf\n%s\n.fi\n", troff(strings.TrimRight(cmd.Example, "\n")))
	}
	flagsOf(&page, "OPTIONS", cmd.NonInheritedFlags())
	flagsOf(&page, "OPTIONS OF ALL COMMANDS BESIDE IT", cmd.InheritedFlags())
	var below []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" {
			below = append(below, fmt.Sprintf(".TP\n.B %s\n%s\n", troff(sub.Name()), troff(sub.Short)))
		}
	}
	if len(below) > 0 {
		page.WriteString(".SH COMMANDS\n" + strings.Join(below, ""))
	}
	page.WriteString(".SH EXIT STATUS\n0 fine, 1 failed, 2 wrong command line, 3 not found, 4 not allowed, 5 conflict, 6 server away,\n" +
		"7 what was waited for ended badly, 130 interrupted.\n")
	if cmd.HasParent() {
		fmt.Fprintf(&page, ".SH SEE ALSO\n.BR %s (1)\n", troff(pageName(cmd.Parent())))
	}
	return page.String()
}

// flagsOf writes the flags that users see.
func flagsOf(page *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	page.WriteString(".SH " + title + "\n")
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		kind, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		fmt.Fprintf(page, ".TP\n.B %s\n%s", troff(strings.TrimSpace(name+" "+kind)), troff(usage))
		switch f.DefValue {
		case "", "false", "[]", "0", "0s":
		default:
			fmt.Fprintf(page, " (default %s)", troff(f.DefValue))
		}
		page.WriteByte('\n')
	})
}

// troff returns a text that means itself in a manual page: no line of it is a request.
func troff(text string) string {
	text = strings.ReplaceAll(text, `\`, `\e`)
	text = strings.ReplaceAll(text, "-", `\-`)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
