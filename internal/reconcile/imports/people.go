package imports

import (
	"context"
	"strings"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/xxlimport"
)

// UserNames returns the names of all users of a server.
func UserNames(ctx context.Context, c *client.Client) (map[string]bool, error) {
	names := map[string]bool{}
	for after := ""; ; {
		page, err := c.Users(ctx, client.UserQuery{After: after, Limit: 500})
		if err != nil {
			return nil, err
		}
		for i := range page.Users {
			names[page.Users[i].Name] = true
		}
		if after = page.Next; after == "" {
			return names, nil
		}
	}
}

// MakeUser creates a user of another scheduler, with the hash of the old password.
func MakeUser(ctx context.Context, c *client.Client, u *xxlimport.User) error {
	_, err := c.CreateUser(ctx, api.NewUser{Name: u.Name, Kind: access.Person, PasswordHash: u.Hash, Grants: api.FromGrants(u.Grants)})
	return err
}

// Addresses returns the executor addresses in the client's namespace, by group.
func Addresses(ctx context.Context, c *client.Client) (map[xxlimport.Address]bool, error) {
	executors, err := c.Executors(ctx)
	if err != nil {
		return nil, err
	}
	have := make(map[xxlimport.Address]bool, len(executors))
	for i := range executors {
		have[xxlimport.Address{Group: executors[i].Group, URL: strings.TrimRight(executors[i].Address, "/")}] = true
	}
	return have, nil
}

// EnterAddress registers an executor manually.
func EnterAddress(ctx context.Context, c *client.Client, a xxlimport.Address) error {
	_, err := c.AddAddress(ctx, a.Group, a.URL, api.DialectAuto)
	return err
}

// GrantsInWords formats grants for people.
func GrantsInWords(grants []access.Grant) string {
	if len(grants) == 0 {
		return "no grants"
	}
	texts := make([]string, len(grants))
	for i, g := range grants {
		texts[i] = g.String()
	}
	return strings.Join(texts, " ")
}
