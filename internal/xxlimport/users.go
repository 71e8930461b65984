package xxlimport

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/message"
)

// User is somebody who signs in to the old server. Hash is its password as it is
// stored: MD5 or SHA-256 in hex, or bcrypt.
type User struct {
	Name   string
	Hash   string
	Grants []access.Grant
}

var foreignHash = regexp.MustCompile(`^([0-9a-fA-F]{32}|[0-9a-fA-F]{64}|\$2[abxy]?\$[0-9]{2}\$[./A-Za-z0-9]{53})$`)

// takeUsers reads who may sign in, and where.
func (m *migrating) takeUsers() {
	taken := map[string]string{}
	for _, r := range m.from.Users {
		id, name := r.rowID(), strings.ToLower(strings.TrimSpace(r["username"]))
		if err := access.CheckUserName("username", name); err != nil {
			m.addMessage(TableUsers, id, "", message.FromError("left-out", "it is left out", ofUserName(err, name)))
			continue
		}
		if other, twice := taken[name]; twice {
			m.addNote(TableUsers, id, name, "name-taken", "it is left out: names are in lower case here, and %.60q has this one", other)
			continue
		}
		taken[name] = r["username"]
		stored := strings.TrimSpace(r["password"])
		if !foreignHash.MatchString(stored) { // what it is may be a password: it is not shown
			m.addNote(TableUsers, id, name, "password-unknown", "it is left out: its password is neither MD5, SHA-256 nor bcrypt; make it with 'orth user create %s'", name)
			continue
		}
		m.Users = append(m.Users, User{Name: name, Hash: stored, Grants: m.grants(id, name, r)})
	}
}

// ofUserName gives what is wrong with a name a code.
func ofUserName(err error, name string) error {
	switch name {
	case "":
		return message.Wrap(err, "user-no-name")
	case access.Root().Name:
		return message.Wrap(err, "user-reserved", name)
	}
	return message.Wrap(err, "user-name", name, strconv.Itoa(access.MaxUserName))
}

// grants returns what a user may do here: an administrator everything, others the role
// in the groups that they are permitted.
func (m *migrating) grants(id int64, name string, r Row) (grants []access.Grant) {
	if m.number(TableUsers, r, "role") == 1 {
		return []access.Grant{{Role: access.Administrator, Namespace: access.All, Group: access.All}}
	}
	for text := range strings.SplitSeq(r["permission"], ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		number, err := strconv.ParseInt(text, 10, 64)
		key := m.groups[number]
		if err != nil || key == "" {
			m.addNote(TableUsers, id, name, "permission-unknown", "its permission %.40q is no group that was taken over: it is left out", text)
			continue
		}
		g := access.Grant{Role: access.Role(m.option.Role), Namespace: m.option.Namespace, Group: key}
		switch {
		case slices.Contains(grants, g):
		case len(grants) >= access.MaxGrants:
			m.addNote(TableUsers, id, name, "too-many-grants", "its permission %s is left out: a user has at most %d grants", text, access.MaxGrants)
		default:
			grants = append(grants, g)
		}
	}
	return grants
}
