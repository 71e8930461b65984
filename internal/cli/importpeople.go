package cli

import (
	"context"
	"strings"

	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/reconcile"
	"github.com/orthd/orth/internal/xxlimport"
	"github.com/orthd/orth/job"
)

// firstLine returns a text up to its first line break.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimSuffix(line, "\r")
}

// agreed asks before more than documents is carried out.
func (t *tool) agreed(f *databaseFlags, question string) (bool, error) {
	if f.dry || f.yes {
		return !f.dry, nil
	}
	return t.confirm(question)
}

// addUsers makes the users that the server does not have. One that is refused stops no
// other; the command has failed then.
func (t *tool) addUsers(ctx context.Context, f *databaseFlags, wanted []xxlimport.User) error {
	c, err := t.connect()
	if err != nil {
		return err
	}
	defer c.Close()
	have, err := reconcile.UserNames(ctx, c)
	if err != nil {
		return err
	}
	var fresh []xxlimport.User
	for _, u := range wanted {
		if have[u.Name] {
			t.tell("user %s is there already, and stays as it is", u.Name)
			continue
		}
		t.tell("+ user %s: %s", u.Name, reconcile.GrantsInWords(u.Grants))
		fresh = append(fresh, u)
	}
	if len(fresh) == 0 {
		t.tell("no users to make")
		return nil
	}
	if yes, err := t.agreed(f, "Make "+plural.Count(len(fresh), "user")+"?"); err != nil || !yes {
		return err
	}
	refused := 0
	for _, u := range fresh {
		err := reconcile.MakeUser(ctx, c, &u)
		switch {
		case job.Is(err, job.Invalid), job.Is(err, job.Conflict):
			refused++
			t.tell("user %s is left out: %s", u.Name, printable(err.Error()))
		case err != nil:
			return err
		default:
			t.tell("user %s made: the old password is good for the first sign-in", u.Name)
		}
	}
	if refused > 0 {
		return job.Errorf(job.Invalid, "%s of %d not made: see above; 'orth user create' makes them with new passwords", plural.Count(refused, "user"), len(fresh))
	}
	return nil
}

// addAddresses enters the executors that the server does not have.
func (t *tool) addAddresses(ctx context.Context, f *databaseFlags, wanted []xxlimport.Address) error {
	c, err := t.connect()
	if err != nil {
		return err
	}
	defer c.Close()
	have, err := reconcile.Addresses(ctx, c)
	if err != nil {
		return err
	}
	var fresh []xxlimport.Address
	for _, a := range wanted {
		if !have[a] {
			t.tell("+ executor %s of group %s", printable(a.URL), a.Group)
			fresh = append(fresh, a)
		}
	}
	if len(fresh) == 0 {
		t.tell("no addresses to enter")
		return nil
	}
	if yes, err := t.agreed(f, "Enter "+plural.Count(len(fresh), "executor")+"?"); err != nil || !yes {
		return err
	}
	refused := 0
	for _, a := range fresh {
		err := reconcile.EnterAddress(ctx, c, a)
		switch {
		case job.Is(err, job.Invalid), job.Is(err, job.Conflict), job.Is(err, job.NotFound):
			refused++
			t.tell("executor %s of group %s is left out: %s", printable(a.URL), a.Group, printable(err.Error()))
		case err != nil:
			return err
		default:
			t.tell("executor %s entered", printable(a.URL))
		}
	}
	if refused > 0 {
		return job.Errorf(job.Invalid, "%d of %s not entered: see above", refused, plural.Count(len(fresh), "executor"))
	}
	return nil
}
