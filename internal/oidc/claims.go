package oidc

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/users"
	"github.com/orthd/orth/job"
)

// maxGroups bounds the groups of a person that are read.
const maxGroups = 10_000

// claims returns the claims of a person: from the token, and from the userinfo endpoint
// when the token lacks some.
func (d *Door) claims(ctx context.Context, p *oidc.Provider, id *oidc.IDToken, token *oauth2.Token) (map[string]any, error) {
	all := map[string]any{}
	if err := id.Claims(&all); err != nil {
		return nil, err
	}
	if p.UserInfoEndpoint() == "" || claim(all, d.config.NameClaim) != nil && claim(all, d.config.GroupsClaim) != nil {
		return all, nil
	}
	info, err := p.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return nil, fmt.Errorf("ask about the person: %w", err)
	}
	if info.Subject != id.Subject {
		return nil, errors.New("it was asked about one person and tells of another")
	}
	more := map[string]any{}
	if err := info.Claims(&more); err != nil {
		return nil, err
	}
	for name, value := range more {
		if all[name] == nil {
			all[name] = value
		}
	}
	return all, nil
}

// foreign converts claims to a person. Kinds: Forbidden for a name that is invalid here.
func (d *Door) foreign(subject string, all map[string]any) (users.Foreign, error) {
	name := strings.ToLower(text(all, d.config.NameClaim))
	if err := access.CheckUserName(d.config.NameClaim, name); err != nil {
		wrong := job.Errorf(job.Forbidden, "the provider of identities gives a name that cannot be one here: %w", err)
		wrong.Hint = "'orth server --oidc-name-claim' names another claim, such as email"
		return users.Foreign{}, wrong
	}
	return users.Foreign{
		Subject: d.config.Issuer + " " + subject, Name: name,
		Title: line(text(all, "name"), access.MaxTitle), Email: address(text(all, "email")),
		Grants: granted(d.config.Grants, groups(all, d.config.GroupsClaim)),
	}, nil
}

// granted returns the grants of groups, in the order of the rules, without duplicates.
func granted(rules []Grant, groups []string) []access.Grant {
	grants := []access.Grant{}
	for _, rule := range rules {
		if (rule.Group == access.All || slices.Contains(groups, rule.Group)) && !slices.Contains(grants, rule.Grant) {
			grants = append(grants, rule.Grant)
		}
	}
	return grants
}

// claim returns a claim by its name, or by a path through objects; nil for none.
func claim(all map[string]any, path string) any {
	if value, there := all[path]; there {
		return value
	}
	first, rest, deeper := strings.Cut(path, ".")
	inner, _ := all[first].(map[string]any)
	if !deeper || inner == nil {
		return nil
	}
	return claim(inner, rest)
}

func text(all map[string]any, path string) string {
	value, _ := claim(all, path).(string)
	return value
}

// groups returns the groups in a claim: a list of strings, or one string.
func groups(all map[string]any, path string) []string {
	switch value := claim(all, path).(type) {
	case string:
		return []string{value}
	case []any:
		var names []string
		for _, one := range value[:min(len(value), maxGroups)] {
			if name, ok := one.(string); ok {
				names = append(names, name)
			}
		}
		return names
	}
	return nil
}

// line returns a text as one line of at most limit characters.
func line(text string, limit int) string {
	return job.Clean(strings.Join(strings.Fields(text), " "), limit)
}

// address returns a valid mail address, and "" for any other text: an invalid one does not
// prevent the sign-in.
func address(text string) string {
	if users.CheckEmail("email", text) != nil {
		return ""
	}
	return text
}
