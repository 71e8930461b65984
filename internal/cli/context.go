package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/terminal"
)

func (t *tool) contextCommand() *cobra.Command {
	cmd := parent(
		&cobra.Command{
			Use: "context", Aliases: []string{"contexts"}, Short: "Keep the servers that you work with under names",
			Long: "Keep the servers that you work with under names: for each its address, the namespace, where the token is\n" +
				"and whose certificates are believed. They are kept in ~/.config/orth/config.yaml, or in the file that\n" +
				"ORTH_CONFIG names, which is for its owner only.\n\n" +
				"Everywhere a flag counts first, then the environment, then the context, then the server of the data folder\n" +
				"here, then the default. 'orth context explain' says what counts and why. --context none uses none.",
			Example: "  orth context set prod --server https://orth.example.com --token-file ~/prod.token\n  orth context use prod\n" +
				"  orth --context test job list",
		},
		t.contextListCommand(), t.contextShowCommand(), t.contextUseCommand(), t.contextSetCommand(),
		t.contextRenameCommand(), t.contextDeleteCommand(), t.contextExplainCommand(),
	)
	t.outputFlags(cmd.PersistentFlags())
	return cmd
}

// shownContext is what is printed of a context: where its token is, and never the token.
type shownContext struct {
	Name      string `json:"name"`
	Current   bool   `json:"current"`
	Server    string `json:"server"`
	Namespace string `json:"namespace,omitempty"`
	Token     string `json:"token"`
	CA        string `json:"ca,omitempty"`
}

func (f *contextFile) shown(c *serverContext) shownContext {
	token := "none"
	switch {
	case c.Token != "":
		token = "kept in the file of contexts"
	case c.TokenFile != "":
		token = "in the file " + c.TokenFile
	case len(c.TokenCommand) > 0:
		token = "printed by " + strings.Join(c.TokenCommand, " ")
	}
	return shownContext{c.Name, c.Name == f.Current, c.Server, c.Namespace, token, c.CA}
}

func (t *tool) contextListCommand() *cobra.Command {
	return &cobra.Command{
		Use: listName, Aliases: []string{"ls"}, Short: "List contexts in order of name", Args: cobra.NoArgs,
		Example: "  orth context list\n  orth context list -o name",
		RunE: func(*cobra.Command, []string) error {
			file, err := t.contexts()
			if err != nil {
				return err
			}
			found, rows := []shownContext{}, [][]string{}
			for i := range file.Contexts {
				c := file.shown(&file.Contexts[i])
				current := ""
				if c.Current {
					current = "yes"
				}
				found = append(found, c)
				rows = append(rows, []string{c.Name, current, c.Server, c.Namespace, c.Token, c.CA})
			}
			return t.show(found, func() error {
				if len(found) == 0 {
					t.tell("there are no contexts: 'orth context set NAME --server URL' makes one")
					return nil
				}
				return t.table("NAME CURRENT SERVER NAMESPACE TOKEN | CA", rows)
			})
		},
	}
}

func (t *tool) contextShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show [NAME]", Short: "Show a context, the current one when none is named", Args: cobra.MaximumNArgs(1),
		Example: "  orth context show\n  orth context show prod -o yaml",
		RunE: func(_ *cobra.Command, args []string) error {
			file, err := t.contexts()
			if err != nil {
				return err
			}
			name := file.Current
			if len(args) > 0 {
				name = args[0]
			}
			if name == "" {
				return usagef("there is no current context: choose one with 'orth context use', or name one")
			}
			c, err := file.named(name)
			if err != nil {
				return err
			}
			shown := file.shown(c)
			return t.show(shown, func() error {
				return t.sheet([][2]string{
					{"Context", shown.Name}, {"Server", shown.Server}, {"Namespace", shown.Namespace}, {"Token", shown.Token}, {"Authorities", shown.CA},
				})
			})
		},
	}
}

func (t *tool) contextUseCommand() *cobra.Command {
	return &cobra.Command{
		Use: "use NAME", Short: "Make a context the one that counts from now on", Args: cobra.ExactArgs(1),
		Long:    "Make a context the one that counts from now on. 'orth context use none' makes none count.",
		Example: "  orth context use prod\n  orth context use none",
		RunE: func(_ *cobra.Command, args []string) error {
			return t.changeContexts(func(file *contextFile) (string, error) {
				if args[0] == noContext {
					file.Current = ""
					return "no context is in use", nil
				}
				c, err := file.named(args[0])
				if err != nil {
					return "", err
				}
				file.Current = c.Name
				return fmt.Sprintf("context %s is in use: %s", c.Name, c.Server), nil
			})
		},
	}
}

// changeContexts reads the contexts, changes them and writes them; a change that is
// refused writes nothing.
func (t *tool) changeContexts(change func(*contextFile) (said string, err error)) error {
	file, err := t.contexts()
	if err != nil {
		return err
	}
	said, err := change(&file)
	if err != nil {
		return err
	}
	if err := file.save(); err != nil {
		return err
	}
	t.tell("%s", said)
	return nil
}

func (t *tool) contextSetCommand() *cobra.Command {
	var wanted serverContext
	var tokenIn, use bool
	command := ""
	cmd := &cobra.Command{
		Use: "set NAME", Short: "Make a context, or change what is named", Args: cobra.ExactArgs(1),
		Long: "Make a context, or change what is named: an empty value takes it away. The first context is the one that\n" +
			"counts; others when they are made with --use.\n\n" +
			"The token may be kept in a file of its own, be printed by a command such as that of a password manager, or\n" +
			"be kept with the context: --token-stdin reads it without showing it.",
		Example: "  orth context set prod --server https://orth.example.com --token-file ~/prod.token\n" +
			"  orth context set prod --namespace team-a\n  orth context set prod --token-command 'pass show orth'\n" +
			"  orth context set test --server http://10.0.0.5:8080 --token-stdin --use",
		RunE: func(cmd *cobra.Command, args []string) error {
			flags := cmd.Flags()
			if err := checkContextName(args[0]); err != nil {
				return err
			}
			ways := 0
			for _, name := range []string{"token-file", "token-command", "token-stdin"} {
				if flags.Changed(name) {
					ways++
				}
			}
			if ways > 1 {
				return usagef("--token-file, --token-command and --token-stdin exclude each other")
			}
			if tokenIn {
				if asksAPerson(t.Stdin) {
					t.tell("type or paste the token; it is not shown:")
				}
				text, err := terminal.ReadSecret(t.Stdin)
				if err != nil {
					return err
				}
				wanted.Token = strings.TrimSpace(text)
			}
			wanted.TokenCommand = strings.Fields(command)
			return t.changeContexts(func(file *contextFile) (string, error) {
				return file.set(args[0], &wanted, flags.Changed, use)
			})
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&wanted.Server, "server", "", "`URL` of the server (required for a new one)")
	flags.StringVarP(&wanted.Namespace, "namespace", "n", "", "`namespace` of the jobs")
	flags.StringVar(&wanted.TokenFile, "token-file", "", "`file` that holds the token")
	flags.StringVar(&command, "token-command", "", "`command` with arguments, split at blanks, that prints the token")
	flags.BoolVar(&tokenIn, "token-stdin", false, "read the token from standard input, and keep it with the context")
	flags.StringVar(&wanted.CA, "ca", "", "`file` with the authorities that the server's certificate is checked with")
	flags.BoolVar(&use, "use", false, "make it the one that counts")
	return cmd
}

// set changes what was given of a context, which it makes if need be.
func (f *contextFile) set(name string, wanted *serverContext, given func(flag string) bool, use bool) (string, error) {
	at, verb := f.at(name), "changed"
	if at < 0 {
		if wanted.Server == "" {
			return "", usagef("--server is missing: context %s is new", name)
		}
		f.Contexts = append(f.Contexts, serverContext{Name: name})
		at, verb = len(f.Contexts)-1, "made"
	}
	c := &f.Contexts[at]
	if given("server") {
		if wanted.Server == "" {
			return "", usagef("--server: a context has one")
		}
		if _, err := client.New(client.Config{Address: wanted.Server}); err != nil {
			return "", usagef("--server: %v", err)
		}
		if c.Server = strings.TrimRight(wanted.Server, "/"); verb == "changed" && !given("token-file") && !given("token-command") && !given("token-stdin") {
			c.Token, c.TokenID = "", "" // It was for the other server.
		}
	}
	if given("namespace") {
		c.Namespace = wanted.Namespace
	}
	if given("token-file") || given("token-command") || given("token-stdin") {
		c.TokenID, c.Token, c.TokenCommand = "", wanted.Token, wanted.TokenCommand
		c.TokenFile = absolute(wanted.TokenFile)
	}
	if given("ca") {
		c.CA = absolute(wanted.CA)
	}
	if use || len(f.Contexts) == 1 {
		f.Current = name
	}
	said := fmt.Sprintf("context %s %s", name, verb)
	if f.Current == name {
		return said + ", and in use", nil
	}
	return said + ": use it with 'orth context use " + name + "'", nil
}

// absolute returns a path that means the same from every folder.
func absolute(path string) string {
	if path == "" {
		return ""
	}
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

func (t *tool) contextRenameCommand() *cobra.Command {
	return &cobra.Command{
		Use: "rename OLD NEW", Short: "Give a context another name", Args: cobra.ExactArgs(2),
		Example: "  orth context rename prod production",
		RunE: func(_ *cobra.Command, args []string) error {
			return t.changeContexts(func(file *contextFile) (string, error) {
				if err := checkContextName(args[1]); err != nil {
					return "", err
				}
				if file.at(args[1]) >= 0 {
					return "", usagef("NEW: there is a context %q already", args[1])
				}
				c, err := file.named(args[0])
				if err != nil {
					return "", err
				}
				c.Name = args[1]
				if file.Current == args[0] {
					file.Current = args[1]
				}
				return fmt.Sprintf("context %s is now %s", args[0], args[1]), nil
			})
		},
	}
}

func (t *tool) contextDeleteCommand() *cobra.Command {
	return &cobra.Command{
		Use: "delete NAME", Aliases: []string{"rm"}, Short: "Forget a context; the server is not asked", Args: cobra.ExactArgs(1),
		Example: "  orth context delete test",
		RunE: func(_ *cobra.Command, args []string) error {
			return t.changeContexts(func(file *contextFile) (string, error) {
				if _, err := file.named(args[0]); err != nil {
					return "", err
				}
				at := file.at(args[0])
				file.Contexts = append(file.Contexts[:at], file.Contexts[at+1:]...)
				if file.Current == args[0] {
					file.Current = ""
				}
				return fmt.Sprintf("context %s deleted", args[0]), nil
			})
		},
	}
}
