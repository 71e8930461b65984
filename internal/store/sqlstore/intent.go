package sqlstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/audit"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/job"
)

// errDry undoes a transaction of a dry run.
var errDry = &job.Error{Kind: job.Internal, Message: "nothing was to be changed"}

// updateFor is update for a request with an author. The first transaction of an intent that
// changes something writes the line and the key; it has to match.
func (w *writer) updateFor(ctx context.Context, i *intent.Intent, do func(*tx) error) error {
	return w.commitFor(ctx, i, func(t *tx) (int64, error) { return t.carryOut(i, do) }, do)
}

// commitFor runs first when no other transaction of the intent has claimed it, else
// do. first returns the number of the line that it has written, 0 for none.
func (w *writer) commitFor(ctx context.Context, i *intent.Intent, first func(*tx) (int64, error), do func(*tx) error) error {
	var line int64
	var claimed bool // written on the writer's goroutine before submit returns
	err := w.submit(ctx, func(t *tx) (err error) {
		claimed = claimed || i.Claim() // it may be done again
		if claimed {
			line, err = first(t)
		} else {
			err = do(t)
		}
		if err == nil && i.Dry {
			return errDry
		}
		return err
	})
	switch {
	case claimed && (err != nil || line == 0):
		i.Release()
	case claimed:
		i.SetWritten(line)
		if i.Once != "" {
			i.SetKept()
		}
	}
	if errors.Is(err, errDry) {
		return nil
	}
	return err
}

// carryOut does what is wanted, and writes down what came of it. It returns the number
// of the line; 0 when no row was changed.
func (t *tx) carryOut(i *intent.Intent, do func(*tx) error) (int64, error) {
	if i.By.Kind == "" { // the author is not known yet
		return 0, do(t)
	}
	was, err := t.object(&i.Object)
	if err != nil {
		return 0, fmt.Errorf("read what is to be changed: %w", err)
	}
	if !matches(i.Match, was) {
		return 0, &intent.MismatchError{Object: i.Object}
	}
	t.audited, t.changes, t.about, t.report = true, 0, intent.Object{}, ""
	defer func() { t.audited = false }()
	if err := do(t); err != nil || i.Dry || t.changes == 0 {
		return 0, err
	}
	l := lineOf(i)
	if l.Before, l.After, err = t.change(i, &l, was); err != nil {
		return 0, fmt.Errorf("read what was changed: %w", err)
	}
	if err := t.appendLine(&l); err != nil {
		return 0, fmt.Errorf("write a line of the audit: %w", err)
	}
	return l.Seq, t.keepOnce(i, l.Seq)
}

// matches reports whether an object that is stored like this has one of the versions.
func matches(versions []string, stored string) bool {
	return versions == nil || stored != "" && (slices.Contains(versions, intent.Any) || slices.Contains(versions, versionOf(stored)))
}

// lineOf returns the line of an intent, of which what was changed is not known yet.
func lineOf(i *intent.Intent) audit.Line {
	name := i.By.Name
	if i.By.Kind == access.Executors {
		name = "group:" + name // no user is called so
	}
	return audit.Line{
		At:      i.At,
		Actor:   audit.Actor{Kind: string(i.By.Kind), ID: i.By.ID, Credential: i.By.Credential, Name: name},
		Address: i.Address, Operation: i.Operation, Right: string(i.Right),
		Kind: i.Object.Kind, Namespace: i.Object.Namespace, Group: i.Object.Group, Key: i.Object.Key,
	}
}

// change returns the object of a line before and after. An object that the operation has
// made is the object from now on, unless the intent names another: then that is kept, and
// the new object is recorded as the result.
func (t *tx) change(i *intent.Intent, l *audit.Line, was string) (before, after string, err error) {
	now := i.Object
	made := t.about.Kind != "" && (now.Key == "" || now.Kind != t.about.Kind)
	switch {
	case t.report != "" && now.Key == "":
		return "", t.report, nil
	case t.about.Kind == "":
	case now.Key == "" || now.Kind == t.about.Kind: // it was made, or has got another name
		now = t.about
	}
	if now.Key == "" {
		return "", "", nil
	}
	if after, err = t.object(&now); err != nil {
		return "", "", err
	}
	if was == "" && made {
		l.Kind, l.Namespace, l.Group, l.Key = now.Kind, now.Namespace, now.Group, now.Key
	}
	if after != was {
		return was, after, nil
	}
	if !made {
		return "", "", nil
	}
	inner, err := t.object(&t.about)
	if err != nil || inner == "" {
		return "", "", err
	}
	return "", fmt.Sprintf("{%q:%s}", t.about.Kind, inner), nil
}

// names notes what an operation has made, or what its object is called from now on,
// for the audit.
func (t *tx) names(kind, namespace, group, key string) {
	t.about = intent.Object{Kind: kind, Namespace: namespace, Group: group, Key: key}
}

// noteReport notes what an operation on many objects reports about itself, for the audit.
func (t *tx) noteReport(value any) error {
	if !t.audited {
		return nil
	}
	raw, err := json.Marshal(value)
	if t.report = string(raw); len(raw) > maxAudited {
		raw, err = json.Marshal(digested(t.report))
		t.report = string(raw)
	}
	return err
}

// Conclude ends the intent of ctx, whose operation has succeeded. acted means that it did
// something outside of the database: that gets its line now, unless it has one. The key of
// a request that has changed nothing is stored now. Kinds: Conflict when another request
// used the key since.
func (s *Store) Conclude(ctx context.Context, acted bool) error {
	i := intent.Of(ctx)
	if i == nil || i.Dry || i.Written() > 0 || !acted && i.Once == "" {
		return nil
	}
	kept := false
	err := s.writer.commitFor(ctx, i, func(t *tx) (int64, error) {
		if !acted {
			kept = true
			return 0, t.keepOnce(i, 0)
		}
		l := lineOf(i)
		if err := t.appendLine(&l); err != nil {
			return 0, err
		}
		return l.Seq, t.keepOnce(i, l.Seq)
	}, func(*tx) error { return nil })
	if err == nil && kept {
		i.SetKept()
	}
	if err != nil {
		return fmt.Errorf("write down what was done: %w", err)
	}
	return nil
}
