package output

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// WriteManual writes manual pages of a command and its visible subcommands, one file each,
// into a folder, which it creates if necessary. It returns the number of pages. version is
// the name and the version of the program.
func WriteManual(root *cobra.Command, dir, version string) (written int, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // manual pages are public
		return 0, fmt.Errorf("write the manual pages: %w", err)
	}
	err = EveryCommand(root, func(c *cobra.Command) error {
		written++
		return os.WriteFile(filepath.Join(dir, pageName(c)+".1"), []byte(renderManPage(c, version)), 0o644) //nolint:gosec // manual pages are public
	})
	if err != nil {
		return written, fmt.Errorf("write the manual pages: %w", err)
	}
	return written, nil
}

// EveryCommand calls do for a command and its visible subcommands, up to the first error.
func EveryCommand(cmd *cobra.Command, do func(*cobra.Command) error) error {
	if err := do(cmd); err != nil {
		return err
	}
	for _, sub := range cmd.Commands() {
		if !sub.IsAvailableCommand() || sub.Name() == "help" {
			continue
		}
		if err := EveryCommand(sub, do); err != nil {
			return err
		}
	}
	return nil
}

// pageName returns the name of a command's page, without the section.
func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// renderManPage returns the manual page of a command in troff.
func renderManPage(cmd *cobra.Command, version string) string {
	var text strings.Builder
	fmt.Fprintf(&text, ".TH %q 1 \"\" %q \"Orth\"\n", strings.ToUpper(pageName(cmd)), version)
	fmt.Fprintf(&text, ".SH NAME\n%s \\- %s\n", troff(pageName(cmd)), troff(cmd.Short))
	fmt.Fprintf(&text, ".SH SYNOPSIS\n.B %s\n", troff(cmd.UseLine()))
	text.WriteString(".SH DESCRIPTION\n")
	for paragraph := range strings.SplitSeq(cmp.Or(cmd.Long, cmd.Short), "\n\n") {
		fmt.Fprintf(&text, ".PP\n%s\n", troff(paragraph))
	}
	if cmd.Example != "" {
		fmt.Fprintf(&text, ".SH EXAMPLES\n.nf\n%s\n.fi\n", troff(strings.TrimRight(cmd.Example, "\n")))
	}
	flagsOf(&text, "OPTIONS", cmd.NonInheritedFlags())
	flagsOf(&text, "INHERITED OPTIONS", cmd.InheritedFlags())
	var below []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" {
			below = append(below, fmt.Sprintf(".TP\n.B %s\n%s\n", troff(sub.Name()), troff(sub.Short)))
		}
	}
	if len(below) > 0 {
		text.WriteString(".SH COMMANDS\n" + strings.Join(below, ""))
	}
	text.WriteString(".SH EXIT STATUS\n0 success, 1 failure, 2 usage error, 3 not found, 4 access denied, 5 conflict, 6 server unavailable,\n" +
		"7 awaited run failed, 8 plan contains changes, 130 interrupted.\n")
	if cmd.HasParent() {
		fmt.Fprintf(&text, ".SH SEE ALSO\n.BR %s (1)\n", troff(pageName(cmd.Parent())))
	}
	return text.String()
}

// flagsOf writes the visible flags.
func flagsOf(text *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	text.WriteString(".SH " + title + "\n")
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		kind, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		fmt.Fprintf(text, ".TP\n.B %s\n%s", troff(strings.TrimSpace(name+" "+kind)), troff(usage))
		switch f.DefValue {
		case "", "false", "[]", "0", "0s":
		default:
			fmt.Fprintf(text, " (default %s)", troff(f.DefValue))
		}
		text.WriteByte('\n')
	})
}

// troff escapes a text: no line of it is a request.
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
