package users

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/job"
)

// listed reads all pages of a query.
func listed(r *rapid.T, u *Users, q UserQuery) []string {
	names := []string{}
	for range 1000 {
		found, more, err := u.Users(r.Context(), q)
		if err != nil {
			r.Fatal(err)
		}
		for i := range found {
			names = append(names, found[i].Name)
		}
		if !more {
			return names
		}
		mark := q.MarkOf(&found[len(found)-1])
		q.After = &mark
	}
	r.Fatal("the pages have no end")
	return nil
}

// The pages of every query are what is selected and sorted by hand.
func TestUserListPages(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		u, m := room()
		base := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-d]{1,3}`), 0, 12, rapid.ID).Draw(r, "names")
		for i, name := range names {
			a := Account{User: access.User{
				ID: int64(i + 1), Name: name, Kind: rapid.SampledFrom([]access.Kind{access.Person, access.Service}).Draw(r, "kind"),
				Disabled: rapid.Bool().Draw(r, "disabled"), MustChange: rapid.Bool().Draw(r, "must change"),
				Grants: drawGrants(r, "grants"), Provided: drawGrants(r, "provided"),
				CreatedAt: base.Add(time.Duration(rapid.IntRange(0, 3).Draw(r, "created")) * time.Hour),
			}}
			if seen := rapid.IntRange(0, 3).Draw(r, "seen"); seen > 0 {
				a.SeenAt = base.Add(time.Duration(seen) * time.Minute)
			}
			m.users = append(m.users, a)
		}
		q := UserQuery{
			Kind:      rapid.SampledFrom([]access.Kind{"", "", access.Person, access.Service}).Draw(r, "of kind"),
			State:     rapid.SampledFrom([]UserState{"", "", UserActive, UserDisabled, UserMustChange}).Draw(r, "of state"),
			Role:      rapid.SampledFrom(append(access.Roles(), "", "", "")).Draw(r, "with role"),
			Namespace: rapid.SampledFrom([]string{"", "", "a", access.All}).Draw(r, "in namespace"),
			By:        rapid.SampledFrom([]string{"", UsersByName, UsersByCreated, UsersBySeen}).Draw(r, "by"),
			Down:      rapid.Bool().Draw(r, "down"),
			Limit:     rapid.IntRange(1, 5).Draw(r, "limit"),
		}
		if got, want := listed(r, u, q), byHand(m.users, q); !slices.Equal(got, want) {
			r.Fatalf("%+v: got %v, want %v", q, got, want)
		}
	})
}

// byHand returns the names of the users of a query.
func byHand(all []Account, q UserQuery) []string {
	var found []access.User
	for i := range all {
		u := all[i].User
		held := q.Role == "" && q.Namespace == ""
		for _, g := range slices.Concat(u.Grants, u.Provided) {
			held = held || (g.Role == q.Role || q.Role == "") && (g.Namespace == q.Namespace || q.Namespace == "")
		}
		state := map[UserState]bool{
			"": true, UserActive: !u.Disabled && !u.MustChange, UserDisabled: u.Disabled, UserMustChange: !u.Disabled && u.MustChange,
		}[q.State]
		if held && state && (q.Kind == "" || u.Kind == q.Kind) {
			found = append(found, u)
		}
	}
	slices.SortFunc(found, func(a, b access.User) int {
		names := strings.Compare(a.Name, b.Name)
		sign := 1
		if q.Down {
			sign = -1
		}
		switch q.By {
		case UsersByCreated:
			return cmp.Or(sign*a.CreatedAt.Compare(b.CreatedAt), names)
		case UsersBySeen:
			if a.SeenAt.IsZero() || b.SeenAt.IsZero() {
				return cmp.Or(cmp.Compare(whole(a.SeenAt.IsZero()), whole(b.SeenAt.IsZero())), names)
			}
			return cmp.Or(sign*a.SeenAt.Compare(b.SeenAt), names)
		}
		return sign * names
	})
	names := []string{}
	for i := range found {
		names = append(names, found[i].Name)
	}
	return names
}

func whole(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestUserListRefuses(t *testing.T) {
	t.Parallel()
	u, m := room()
	for field, q := range map[string]UserQuery{
		"kind": {Kind: access.Token}, "state": {State: "asleep"}, "role": {Role: "root"}, "sort": {By: "email"},
	} {
		_, _, err := u.Users(t.Context(), q)
		if fault, ok := err.(*job.Error); !ok || fault.Kind != job.Invalid || fault.Field != field { //nolint:errorlint // it is not wrapped
			t.Errorf("%+v: %v", q, err)
		}
	}
	m.fail(job.Errorf(job.Unavailable, "the disk is full"))
	if _, _, err := u.Users(t.Context(), UserQuery{}); !job.Is(err, job.Unavailable) {
		t.Errorf("without a store: %v", err)
	}
}
