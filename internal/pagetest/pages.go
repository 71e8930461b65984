package pagetest

import (
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/output"
)

var (
	codeBlock  = regexp.MustCompile("(?ms)^[ \t]*```[a-z]*\n(.*?)^[ \t]*```|((?:^ {4}\\S.*\n)+)") //nolint:gocritic // with (?m) a ^ begins any line
	codeInLine = regexp.MustCompile("`([^`\n]+)`")
	aFlag      = regexp.MustCompile(`^--[a-z0-9-]+$`)
	aVariable  = regexp.MustCompile(`\bORTH_[A-Z0-9_]*[A-Z0-9]\b`)
	anOpening  = regexp.MustCompile(`(?m)^\s*(\$ )?`)
)

// variants returns a line for each of the alternatives that a sentence gives in one, such
// as status|plan|up.
func variants(line string) []string {
	line = strings.ReplaceAll(line, `\|`, "|")
	for word := range strings.FieldsSeq(line) {
		if strings.Trim(word, "|") != "" && strings.Contains(word, "|") {
			var all []string
			for either := range strings.SplitSeq(word, "|") {
				all = append(all, variants(strings.Replace(line, word, either, 1))...)
			}
			return all
		}
	}
	return []string{line}
}

// WrongLines returns what is wrong with the program's commands on a page, and how many it has.
func (p *Program) WrongLines(page string) (wrong []string, lines int) {
	page = strings.ReplaceAll(page, "\r\n", "\n")
	look := func(line []string, judge func(*cobra.Command, []string) error) {
		args, ours := p.arguments(line)
		if !ours {
			return
		}
		lines++
		if err := judge(p.root, args); err != nil {
			wrong = append(wrong, fmt.Sprintf("%s: %v", strings.Join(line, " "), err))
		}
	}
	for _, block := range codeBlock.FindAllStringSubmatch(page, -1) {
		for _, line := range Words(anOpening.ReplaceAllString(block[1]+block[2], "")) {
			look(line, wrongLine)
		}
	}
	for _, code := range codeInLine.FindAllStringSubmatch(codeBlock.ReplaceAllString(page, ""), -1) {
		for _, line := range variants(code[1]) {
			for _, line := range Words(line) {
				if args, ours := p.arguments(line); ours && len(args) > 0 {
					look(line, wrongMention)
				}
			}
		}
	}
	return wrong, lines
}

// WrongExamples returns what is wrong with the examples in the help of the program's commands.
func (p *Program) WrongExamples() (wrong []string) {
	_ = output.EveryCommand(p.root, func(cmd *cobra.Command) error {
		for _, line := range Words(cmd.Example) {
			if args, ours := p.arguments(line); ours {
				if err := wrongLine(p.root, args); err != nil {
					wrong = append(wrong, fmt.Sprintf("%s: %s: %v", cmd.CommandPath(), strings.Join(line, " "), err))
				}
			}
		}
		return nil
	})
	return wrong
}

// Flags returns the flags that a page names alone, in its sentences.
func Flags(page string) (named []string) {
	for _, code := range codeInLine.FindAllStringSubmatch(codeBlock.ReplaceAllString(page, ""), -1) {
		first, _, _ := strings.Cut(code[1], " ")
		if first, _, _ = strings.Cut(first, "="); aFlag.MatchString(first) {
			named = append(named, first)
		}
	}
	return named
}

// Variables returns the variables of the environment that a text names.
func Variables(text string) []string { return aVariable.FindAllString(text, -1) }

// renames lists names of the past beside those of today.
const renames = "docs/decisions/words.md"

// Pages returns the pages of the repository but for renames, by their paths.
func Pages(root fs.FS) (map[string]string, error) {
	found := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "examples/*/*.md"} {
		names, err := fs.Glob(root, pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if name == renames {
				continue
			}
			text, err := fs.ReadFile(root, name)
			if err != nil {
				return nil, err
			}
			found[name] = string(text)
		}
	}
	return found, nil
}
