package importing

import (
	"context"
	"strings"

	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/reconcile/imports"
	"github.com/orthd/orth/internal/xxlimport"
	"github.com/orthd/orth/job"
)

// firstLine returns the first line of a text.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimSuffix(line, "\r")
}

// agreed asks for confirmation of an import step beyond the manifests.
func agreed(t *kit.Tool, f *databaseFlags, question string) (bool, error) {
	if f.dry || f.yes {
		return !f.dry, nil
	}
	return t.Confirm(question)
}

// addUsers creates the users that do not exist on the server. It continues after a
// rejected user and then returns an error.
func addUsers(ctx context.Context, t *kit.Tool, f *databaseFlags, wanted []xxlimport.User) error {
	c, err := t.Connect()
	if err != nil {
		return err
	}
	defer c.Close()
	have, err := imports.UserNames(ctx, c)
	if err != nil {
		return err
	}
	var fresh []xxlimport.User
	for _, u := range wanted {
		if have[u.Name] {
			t.PrintNote("user %s already exists, unchanged", u.Name)
			continue
		}
		t.PrintNote("+ user %s: %s", u.Name, imports.GrantsInWords(u.Grants))
		fresh = append(fresh, u)
	}
	if len(fresh) == 0 {
		t.PrintNote("No users to create.")
		return nil
	}
	if yes, err := agreed(t, f, "Create "+plural.Count(len(fresh), "user")+"?"); err != nil || !yes {
		return err
	}
	refused := 0
	for _, u := range fresh {
		err := imports.MakeUser(ctx, c, &u)
		switch {
		case job.Is(err, job.Invalid), job.Is(err, job.Conflict):
			refused++
			t.PrintNote("user %s skipped: %s", u.Name, output.Printable(err.Error()))
		case err != nil:
			return err
		default:
			t.PrintNote("user %s created; the old password is valid for the first sign-in", u.Name)
		}
	}
	if refused > 0 {
		return job.Errorf(job.Invalid, "%s of %d not created, see above; create them with new passwords with 'orth user create'", plural.Count(refused, "user"), len(fresh))
	}
	return nil
}

// addAddresses adds the executors that do not exist on the server.
func addAddresses(ctx context.Context, t *kit.Tool, f *databaseFlags, wanted []xxlimport.Address) error {
	c, err := t.Connect()
	if err != nil {
		return err
	}
	defer c.Close()
	have, err := imports.Addresses(ctx, c)
	if err != nil {
		return err
	}
	var fresh []xxlimport.Address
	for _, a := range wanted {
		if !have[a] {
			t.PrintNote("+ executor %s of group %s", output.Printable(a.URL), a.Group)
			fresh = append(fresh, a)
		}
	}
	if len(fresh) == 0 {
		t.PrintNote("No addresses to add.")
		return nil
	}
	if yes, err := agreed(t, f, "Add "+plural.Count(len(fresh), "executor")+"?"); err != nil || !yes {
		return err
	}
	refused := 0
	for _, a := range fresh {
		err := imports.EnterAddress(ctx, c, a)
		switch {
		case job.Is(err, job.Invalid), job.Is(err, job.Conflict), job.Is(err, job.NotFound):
			refused++
			t.PrintNote("executor %s of group %s skipped: %s", output.Printable(a.URL), a.Group, output.Printable(err.Error()))
		case err != nil:
			return err
		default:
			t.PrintNote("executor %s added", output.Printable(a.URL))
		}
	}
	if refused > 0 {
		return job.Errorf(job.Invalid, "%d of %s not added, see above", refused, plural.Count(len(fresh), "executor"))
	}
	return nil
}
