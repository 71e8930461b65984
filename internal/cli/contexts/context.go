package contexts

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/terminal"
)

// NewContextCommand returns the command orth context.
func NewContextCommand(t *kit.Tool) *cobra.Command {
	cmd := output.Parent(
		&cobra.Command{
			Use: "context", Aliases: []string{"contexts"}, Short: "Manage contexts: named servers with their credentials",
			Long: "Manage contexts. A context stores a server address, a namespace, the source of the token and the CA certificates.\n" +
				"Contexts are stored in ~/.config/orth/config.yaml, or in the file that ORTH_CONFIG names, readable only by its owner.\n\n" +
				"Each setting comes from the flags, else the environment, else the context, else the server of the data folder here,\n" +
				"else the default. 'orth context explain' prints the result. --context none uses no context.",
			Example: "  orth context set prod --server https://orth.example.com --token-file ~/prod.token\n  orth context use prod\n" +
				"  orth --context test job list",
		},
		newContextListCommand(t), newContextShowCommand(t), newContextUseCommand(t), newContextSetCommand(t),
		newContextRenameCommand(t), newContextDeleteCommand(t), newContextExplainCommand(t),
	)
	t.OutputFlags(cmd.PersistentFlags())
	return cmd
}

// shownContext is the printed form of a context: the source of the token, never the token.
type shownContext struct {
	Name      string `json:"name"`
	Current   bool   `json:"current"`
	Server    string `json:"server"`
	Namespace string `json:"namespace,omitempty"`
	Token     string `json:"token"`
	CA        string `json:"ca,omitempty"`
}

func showContext(f *kit.ContextFile, c *kit.ServerContext) shownContext {
	token := "none"
	switch {
	case c.Token != "":
		token = "stored in the context file"
	case c.TokenFile != "":
		token = "file " + c.TokenFile
	case len(c.TokenCommand) > 0:
		token = "command " + strings.Join(c.TokenCommand, " ")
	}
	return shownContext{c.Name, c.Name == f.Current, c.Server, c.Namespace, token, c.CA}
}

func newContextListCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: kit.ListName, Aliases: []string{"ls"}, Short: "List contexts, sorted by name", Args: cobra.NoArgs,
		Example: "  orth context list\n  orth context list -o name",
		RunE: func(*cobra.Command, []string) error {
			file, err := t.Contexts()
			if err != nil {
				return err
			}
			found, rows := []shownContext{}, [][]string{}
			for i := range file.Contexts {
				c := showContext(&file, &file.Contexts[i])
				current := ""
				if c.Current {
					current = "yes"
				}
				found = append(found, c)
				rows = append(rows, []string{c.Name, current, c.Server, c.Namespace, c.Token, c.CA})
			}
			return t.Show(found, func() error {
				if len(found) == 0 {
					t.PrintNote("No contexts found. Create one with 'orth context set NAME --server URL'.")
					return nil
				}
				return t.PrintTable("NAME CURRENT SERVER NAMESPACE TOKEN | CA", rows)
			})
		},
	}
}

func newContextShowCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "show [NAME]", Short: "Show a context, by default the current one", Args: cobra.MaximumNArgs(1),
		Example: "  orth context show\n  orth context show prod -o yaml",
		RunE: func(_ *cobra.Command, args []string) error {
			file, err := t.Contexts()
			if err != nil {
				return err
			}
			name := file.Current
			if len(args) > 0 {
				name = args[0]
			}
			if name == "" {
				return output.Usagef("no context is in use: select one with 'orth context use', or name one")
			}
			c, err := file.Named(name)
			if err != nil {
				return err
			}
			shown := showContext(&file, c)
			return t.Show(shown, func() error {
				return t.PrintSheet([][2]string{
					{"Context", shown.Name}, {"Server", shown.Server}, {"Namespace", shown.Namespace}, {"Token", shown.Token}, {"Authorities", shown.CA},
				})
			})
		},
	}
}

func newContextUseCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "use NAME", Short: "Set the current context", Args: cobra.ExactArgs(1),
		Long:    "Set the current context. 'orth context use none' unsets it.",
		Example: "  orth context use prod\n  orth context use none",
		RunE: func(_ *cobra.Command, args []string) error {
			return changeContexts(t, func(file *kit.ContextFile) (string, error) {
				if args[0] == kit.NoContext {
					file.Current = ""
					return "no context is in use", nil
				}
				c, err := file.Named(args[0])
				if err != nil {
					return "", err
				}
				file.Current = c.Name
				return fmt.Sprintf("context %s is in use: %s", c.Name, c.Server), nil
			})
		},
	}
}

// changeContexts reads the contexts, applies a change and writes them; a rejected change
// writes nothing.
func changeContexts(t *kit.Tool, change func(*kit.ContextFile) (result string, err error)) error {
	file, err := t.Contexts()
	if err != nil {
		return err
	}
	result, err := change(&file)
	if err != nil {
		return err
	}
	if err := file.Save(); err != nil {
		return err
	}
	t.PrintNote("%s", result)
	return nil
}

func newContextSetCommand(t *kit.Tool) *cobra.Command {
	var wanted kit.ServerContext
	var tokenIn, use bool
	command := ""
	cmd := &cobra.Command{
		Use: "set NAME", Short: "Create or change a context", Args: cobra.ExactArgs(1),
		Long: "Create or change a context. An empty value removes a setting. The first context becomes the current one; --use\n" +
			"selects a later one.\n\n" +
			"The token can be stored in a file of its own, be printed by a command such as a password manager, or be stored in\n" +
			"the context: --token-stdin reads it without echo.",
		Example: "  orth context set prod --server https://orth.example.com --token-file ~/prod.token\n" +
			"  orth context set prod --namespace team-a\n  orth context set prod --token-command 'pass show orth'\n" +
			"  orth context set test --server http://10.0.0.5:8080 --token-stdin --use",
		RunE: func(cmd *cobra.Command, args []string) error {
			flags := cmd.Flags()
			if err := kit.CheckContextName(args[0]); err != nil {
				return err
			}
			ways := 0
			for _, name := range []string{"token-file", "token-command", "token-stdin"} {
				if flags.Changed(name) {
					ways++
				}
			}
			if ways > 1 {
				return output.Usagef("--token-file, --token-command and --token-stdin are mutually exclusive")
			}
			if tokenIn {
				if kit.AsksAPerson(t.Stdin) {
					t.PrintNote("Type or paste the token (not shown):")
				}
				text, err := terminal.ReadSecret(t.Stdin)
				if err != nil {
					return err
				}
				wanted.Token = strings.TrimSpace(text)
			}
			wanted.TokenCommand = strings.Fields(command)
			return changeContexts(t, func(file *kit.ContextFile) (string, error) {
				return setContext(file, args[0], &wanted, flags.Changed, use)
			})
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&wanted.Server, "server", "", "`URL` of the server (required for a new context)")
	flags.StringVarP(&wanted.Namespace, "namespace", "n", "", "`namespace` of the jobs")
	flags.StringVar(&wanted.TokenFile, "token-file", "", "`file` with the token")
	flags.StringVar(&command, "token-command", "", "`command` that prints the token; arguments are separated by spaces")
	flags.BoolVar(&tokenIn, "token-stdin", false, "read the token from standard input and store it in the context")
	flags.StringVar(&wanted.CA, "ca", "", "`file` with the CA certificates to verify the server")
	flags.BoolVar(&use, "use", false, "make it the current context")
	return cmd
}

// setContext updates the given settings of a context and creates it if it is missing.
func setContext(f *kit.ContextFile, name string, wanted *kit.ServerContext, given func(flag string) bool, use bool) (string, error) {
	at, verb := f.At(name), "changed"
	if at < 0 {
		if wanted.Server == "" {
			return "", output.Usagef("--server is required: context %s does not exist yet", name)
		}
		f.Contexts = append(f.Contexts, kit.ServerContext{Name: name})
		at, verb = len(f.Contexts)-1, "created"
	}
	c := &f.Contexts[at]
	if given("server") {
		if wanted.Server == "" {
			return "", output.Usagef("--server: must not be empty")
		}
		if _, err := client.New(client.Config{Address: wanted.Server}); err != nil {
			return "", output.Usagef("--server: %v", err)
		}
		if c.Server = strings.TrimRight(wanted.Server, "/"); verb == "changed" && !given("token-file") && !given("token-command") && !given("token-stdin") {
			c.Token, c.TokenID = "", "" // the token belonged to the previous server
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
	result := fmt.Sprintf("context %s %s", name, verb)
	if f.Current == name {
		return result + " and in use", nil
	}
	return result + ": use it with 'orth context use " + name + "'", nil
}

// absolute returns an absolute path.
func absolute(path string) string {
	if path == "" {
		return ""
	}
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

func newContextRenameCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "rename OLD NEW", Short: "Rename a context", Args: cobra.ExactArgs(2),
		Example: "  orth context rename prod production",
		RunE: func(_ *cobra.Command, args []string) error {
			return changeContexts(t, func(file *kit.ContextFile) (string, error) {
				if err := kit.CheckContextName(args[1]); err != nil {
					return "", err
				}
				if file.At(args[1]) >= 0 {
					return "", output.Usagef("NEW: context %q already exists", args[1])
				}
				c, err := file.Named(args[0])
				if err != nil {
					return "", err
				}
				c.Name = args[1]
				if file.Current == args[0] {
					file.Current = args[1]
				}
				return fmt.Sprintf("context %s renamed to %s", args[0], args[1]), nil
			})
		},
	}
}

func newContextDeleteCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "delete NAME", Aliases: []string{"rm"}, Short: "Delete a context from this machine", Args: cobra.ExactArgs(1),
		Example: "  orth context delete test",
		RunE: func(_ *cobra.Command, args []string) error {
			return changeContexts(t, func(file *kit.ContextFile) (string, error) {
				if _, err := file.Named(args[0]); err != nil {
					return "", err
				}
				at := file.At(args[0])
				file.Contexts = append(file.Contexts[:at], file.Contexts[at+1:]...)
				if file.Current == args[0] {
					file.Current = ""
				}
				return fmt.Sprintf("context %s deleted", args[0]), nil
			})
		},
	}
}

// usedSetting is an effective setting and its source.
type usedSetting struct {
	Setting string `json:"setting"`
	Value   string `json:"value"`
	From    string `json:"from,omitempty"`
}

func newContextExplainCommand(t *kit.Tool) *cobra.Command {
	cmd := &cobra.Command{
		Use: "explain", Short: "Show the effective server, namespace and token source", Args: cobra.NoArgs,
		Long: "Show the effective server, namespace and credentials of commands, and the source of each setting: flag, environment,\n" +
			"context, note of a data folder, or default. The token is never printed, and no server is called.",
		Example: "  orth context explain\n  orth context explain --context prod\n  ORTH_SERVER=http://10.0.0.5:8080 orth context explain",
		RunE: func(*cobra.Command, []string) error {
			found, err := t.FindServer()
			if err != nil {
				return err
			}
			used := usedSettings(&found)
			rows := make([][]string, len(used))
			for i, s := range used {
				rows[i] = []string{s.Setting, s.Value, s.From}
			}
			return t.Show(used, func() error { return t.PrintTable("SETTING VALUE FROM", rows) })
		},
	}
	t.ConnectFlags(cmd.Flags())
	return cmd
}

// usedSettings lists the effective settings without the token.
func usedSettings(found *kit.Target) []usedSetting {
	token := usedSetting{"token", "none", "not set"}
	if found.TokenFrom != "" {
		token = usedSetting{"token", "set, not shown", found.TokenFrom}
	}
	ca := usedSetting{"ca", found.CA.Value, found.CA.From}
	switch {
	case ca.Value != "":
	case found.CertFile != "":
		ca.Value, ca.From = found.CertFile, "the note of the server"
	default:
		ca.Value, ca.From = "system certificates", "the default"
	}
	context := usedSetting{"context", found.Context.Value, found.Context.From}
	if context.Value == "" {
		context.Value, context.From = kit.NoContext, ""
	}
	return []usedSetting{
		context,
		{"server", found.Address.Value, found.Address.From},
		{"namespace", found.Namespace.Value, found.Namespace.From},
		token, ca,
	}
}
