package contexts

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/terminal"
	"github.com/orthd/orth/job"
)

// loginFlags holds the flags of login.
type loginFlags struct {
	user, name string
	stdin      bool
	expires    time.Duration
}

// NewLoginCommand returns the command orth login.
func NewLoginCommand(t *kit.Tool) *cobra.Command {
	var f loginFlags
	cmd := &cobra.Command{
		Use: "login --user NAME", DisableFlagsInUseLine: true, Short: "Sign in with a password and store a token in a context", Args: cobra.NoArgs,
		Long: "Sign in with a password and store a personal token in a context. The password is read without echo and not stored. The\n" +
			"token has the permissions of the user until it expires or 'orth logout' revokes it. A password that must be changed\n" +
			"is changed first.\n\n" +
			"The context is the current one, the one of --name, or one named after the server; it becomes the current context.",
		Example: "  orth login --server https://orth.example.com --user ada\n  orth login --user ada --expires-in 12h\n" +
			"  orth login --user deploy --password-stdin < password.txt",
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case f.user == "":
				return output.Usagef("--user is required: the user to sign in")
			case f.expires <= 0:
				return output.Usagef("--expires-in: must be greater than 0s, got %s", f.expires)
			case f.name != "":
				if err := kit.CheckContextName(f.name); err != nil {
					return output.Usagef("--name: %q is not a valid context name", f.name)
				}
			}
			return login(cmd.Context(), t, &f)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.user, "user", "", "`name` of the user (required)")
	flags.BoolVar(&f.stdin, "password-stdin", false, "read the password from standard input")
	flags.DurationVar(&f.expires, "expires-in", 30*24*time.Hour, "lifetime of the token")
	flags.StringVar(&f.name, "name", "", "`name` of the context to store the token in (default the current one, or the host of the server)")
	t.ConnectFlags(flags)
	return cmd
}

// login signs in, creates a token and stores it.
func login(ctx context.Context, t *kit.Tool, f *loginFlags) error {
	found, _, _, err := t.LocateServer()
	if err != nil {
		return err
	}
	contexts, err := t.Contexts() // fail before a token is created that cannot be stored
	if err != nil {
		return err
	}
	c, err := t.Dial(found)
	if err != nil {
		return err
	}
	defer c.Close()
	password, err := password(t, f)
	if err != nil {
		return err
	}
	signed, who, err := c.SignIn(ctx, f.user, password)
	if err != nil {
		return err
	}
	if who.MustChange {
		if signed, err = anotherPassword(ctx, t, signed, f, password); err != nil {
			return err
		}
	}
	host, _ := os.Hostname() // only part of a label
	made, err := signed.CreateToken(ctx, "", api.NewAPIToken{
		Label: strings.TrimSpace("orth login " + host), ExpiresAt: api.At(time.Now().Add(f.expires)),
	})
	if err != nil {
		return err
	}
	if err := signed.SignOut(ctx); err != nil {
		t.PrintNote("Warning: could not end the session of this login: %v", err)
	}
	name := f.keep(&contexts, found, made)
	if err := contexts.Save(); err != nil {
		return err
	}
	return t.PrintResult(made.APIToken, fmt.Sprintf("signed in to %s as %s; the token is valid until %s and stored in context %s",
		found.Address.Value, made.User, t.FormatTime(made.ExpiresAt), name))
}

// password reads the password of a user.
func password(t *kit.Tool, f *loginFlags) (string, error) {
	if f.stdin {
		return t.PipedPassword()
	}
	if !kit.AsksAPerson(t.Stdin) {
		return "", output.Usagef("standard input is not a terminal: pass the password with --password-stdin")
	}
	_, _ = fmt.Fprintf(t.Stderr, "Password of %s: ", output.Printable(f.user))
	text, err := terminal.ReadSecret(t.Stdin)
	t.PrintNote("")
	return text, err
}

// anotherPassword lets a user choose a new password when the current one was set by
// another user.
func anotherPassword(ctx context.Context, t *kit.Tool, signed *client.Client, f *loginFlags, old string) (*client.Client, error) {
	if f.stdin {
		return nil, &job.Error{
			Kind: job.Forbidden, Message: fmt.Sprintf("the password of %s must be changed first", f.user),
			Hint: "sign in once on a terminal, without --password-stdin",
		}
	}
	t.PrintNote("This password was set by another user. Choose a new one.")
	fresh, err := t.TypedPassword(f.user)
	if err != nil {
		return nil, err
	}
	changed, _, err := signed.ChangePassword(ctx, old, fresh)
	return changed, err
}

// keep stores the token in a context, creating it if it is missing, and returns its name.
func (f *loginFlags) keep(contexts *kit.ContextFile, found kit.Target, made api.MadeAPIToken) string {
	name := kit.FirstOf(f.name, found.Context.Value)
	if name == "" {
		name = "orth"
		if u, err := url.Parse(found.Address.Value); err == nil && kit.ContextName.MatchString(u.Hostname()) {
			name = u.Hostname()
		}
	}
	at := contexts.At(name)
	if at < 0 {
		contexts.Contexts = append(contexts.Contexts, kit.ServerContext{Name: name})
		at = len(contexts.Contexts) - 1
	}
	c := &contexts.Contexts[at]
	c.Server = strings.TrimRight(found.Address.Value, "/")
	c.CA = absolute(kit.FirstOf(found.CA.Value, found.CertFile))
	c.Token, c.TokenID, c.TokenFile, c.TokenCommand = made.Token, made.ID.String(), "", nil
	contexts.Current = name
	return name
}

// NewLogoutCommand returns the command orth logout.
func NewLogoutCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "logout [NAME]", Short: "Revoke the token of a login and remove it from the context", Args: cobra.MaximumNArgs(1),
		Long: "Revoke the token of a login and remove it from the context. The context itself is kept; the default is the current one.\n" +
			"A token that was added to the context by hand is only removed.",
		Example: "  orth logout\n  orth logout orth.example.com",
		RunE: func(cmd *cobra.Command, args []string) error {
			return changeContexts(t, func(file *kit.ContextFile) (string, error) {
				name := file.Current
				if len(args) > 0 {
					name = args[0]
				}
				if name == "" {
					return "", output.Usagef("no context is in use: name the one to log out of")
				}
				c, err := file.Named(name)
				if err != nil {
					return "", err
				}
				return logout(cmd.Context(), t, c)
			})
		},
	}
}

// logout revokes the token of a context if a login created it, and removes it.
func logout(ctx context.Context, t *kit.Tool, c *kit.ServerContext) (string, error) {
	if c.Token == "" {
		return "", &job.Error{Kind: job.NotFound, Message: fmt.Sprintf("context %s has no token", c.Name)}
	}
	result := "removed but still valid: revoke it with 'orth token revoke'"
	if c.TokenID != "" {
		var id api.ID
		if err := id.UnmarshalText([]byte(c.TokenID)); err != nil {
			return "", job.Errorf(job.Invalid, "context %s has an invalid token_id: %w", c.Name, err)
		}
		server, err := t.Dial(kit.Target{
			Address: kit.Origin{Value: c.Server, From: ""}, CA: kit.Origin{Value: c.CA, From: ""}, Token: redacted.New(c.Token),
		})
		if err != nil {
			return "", err
		}
		defer server.Close()
		err = server.RevokeToken(ctx, "", id)
		switch {
		case job.Is(err, job.Unauthorized) || job.Is(err, job.NotFound):
			result = "removed; it was already invalid"
		case err != nil:
			return "", err
		default:
			result = "revoked and removed"
		}
	}
	c.Token, c.TokenID = "", ""
	return fmt.Sprintf("token of context %s %s", c.Name, result), nil
}
