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

// WriteManual writes the manual page of a command and of all below it that users see,
// one file for each, into a folder that is made if need be, and returns how many. The
// version is that of the program, with its name.
func WriteManual(root *cobra.Command, dir, version string) (written int, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // Manual pages are for everyone.
		return 0, fmt.Errorf("write the manual pages: %w", err)
	}
	err = EveryCommand(root, func(c *cobra.Command) error {
		written++
		return os.WriteFile(filepath.Join(dir, pageName(c)+".1"), []byte(page(c, version)), 0o644) //nolint:gosec // Manual pages are for everyone.
	})
	if err != nil {
		return written, fmt.Errorf("write the manual pages: %w", err)
	}
	return written, nil
}

// EveryCommand does something for a command and all below it that users see, and ends with the first error.
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

// page returns the manual page of a command, as troff.
func page(cmd *cobra.Command, version string) string {
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
	flagsOf(&text, "OPTIONS OF ALL COMMANDS BESIDE IT", cmd.InheritedFlags())
	var below []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" {
			below = append(below, fmt.Sprintf(".TP\n.B %s\n%s\n", troff(sub.Name()), troff(sub.Short)))
		}
	}
	if len(below) > 0 {
		text.WriteString(".SH COMMANDS\n" + strings.Join(below, ""))
	}
	text.WriteString(".SH EXIT STATUS\n0 fine, 1 failed, 2 wrong command line, 3 not found, 4 not allowed, 5 conflict, 6 server away,\n" +
		"7 what was waited for ended badly, 130 interrupted.\n")
	if cmd.HasParent() {
		fmt.Fprintf(&text, ".SH SEE ALSO\n.BR %s (1)\n", troff(pageName(cmd.Parent())))
	}
	return text.String()
}

// flagsOf writes the flags that users see.
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
