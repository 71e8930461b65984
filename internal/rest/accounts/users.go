package accounts

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/internal/rest/operation"
	"github.com/orthd/orth/internal/users"
	"github.com/orthd/orth/job"
)

const tagUsers = "users"

// Users is all that the API asks about users.
type Users interface {
	UserReader
	UserMaker
	UserEditor
}

// UserReader finds users.
type UserReader interface {
	User(ctx context.Context, name string) (access.User, error)
	// Users also reports whether there are more.
	Users(ctx context.Context, q users.UserQuery) (found []access.User, more bool, err error)
}

// UserMaker makes and removes users.
type UserMaker interface {
	// CreateUser returns the password that it has made, if it has.
	CreateUser(ctx context.Context, u access.User, password redacted.Text) (access.User, redacted.Text, error)
	// AdoptUser makes a user with the hash of a password that another server has kept.
	AdoptUser(ctx context.Context, u access.User, hash redacted.Text) (access.User, error)
	DeleteUser(ctx context.Context, name string) error
}

// UserEditor changes users.
type UserEditor interface {
	DescribeUser(ctx context.Context, name string, title, email *string) (access.User, error)
	SetDisabled(ctx context.Context, name string, disabled bool) (access.User, error)
	SetPassword(ctx context.Context, name string, fresh redacted.Text, final bool) (access.User, error)
}

type userQuery struct {
	Kind      access.Kind     `query:"kind" enum:"user,service" doc:"Only persons who sign in, or only services, which have tokens alone."`
	State     users.UserState `query:"state" enum:"active,disabled,must_change" doc:"Only users who are active; who are disabled; who have to change their password, and are not disabled."`
	Role      access.Role     `query:"role" enum:"viewer,operator,editor,scripter,owner,admin" doc:"Only users who were granted this role; with namespace, in that one."`
	Namespace string          `query:"namespace" maxLength:"64" doc:"Only users with a grant in this namespace; * finds the grants in all namespaces, which are in no other."`
	Sort      string          `query:"sort" enum:"name,-name,created_at,-created_at,seen_at,-seen_at" default:"name" doc:"The order, with - the other way round. Users who were never seen come last."`
	After     string          `query:"after" maxLength:"200" doc:"Next of the page before, with the same sort; in order of name, any name."`
	Limit     int             `query:"limit" minimum:"1" maximum:"500" default:"100" doc:"At most so many."`
}

type userPath struct {
	Name string `path:"name" maxLength:"64" doc:"The user's name."`
}

type newUser struct{ Body api.NewUser }

type userPatch struct {
	Name string `path:"name" maxLength:"64" doc:"The user's name."`
	Body map[string]any
}

type newPassword struct {
	Name string `path:"name" maxLength:"64" doc:"The user's name."`
	Body api.NewPassword
}

type userReply struct{ Body api.User }

type userList struct{ Body api.UserList }

type madeUser struct{ Body api.MadeUser }

func (s *userRoom) registerUsers() {
	tags := []string{tagUsers}
	guard.Register(s.Guard, guard.Op{
		ID: "list-users", Method: http.MethodGet, Path: "/users", Tags: tags,
		Right: access.Admin, Scope: guard.OnServer, Class: guard.Reading,
		Summary: "List users by name, or sorted",
	}, s.listUsers)
	guard.Register(s.Guard, guard.Op{
		ID: "create-user", Method: http.MethodPost, Path: "/users", Tags: tags,
		Right: access.Admin, Scope: guard.OnServer, Class: guard.Writing, Status: http.StatusCreated,
		Policy:  guard.Policy{Kind: guard.KindUser, Made: true, Shown: true},
		Summary: "Make a user; a password that is made for it is shown this once",
	}, s.createUser)
	guard.Register(s.Guard, guard.Op{
		ID: "get-user", Method: http.MethodGet, Path: "/users/{name}", Tags: tags,
		Right: access.Admin, Scope: guard.OnUser, Class: guard.Reading,
		Policy:  guard.Policy{Kind: guard.KindUser},
		Summary: "Show a user",
	}, func(ctx context.Context, in *userPath) (*userReply, error) {
		return shownUser(s.config.Users.User(ctx, in.Name))
	})
	guard.Register(s.Guard, guard.Op{
		ID: "update-user", Method: http.MethodPatch, Path: "/users/{name}", Tags: tags,
		Right: access.Admin, Scope: guard.OnUser, Class: guard.Writing,
		Policy:  guard.Policy{Kind: guard.KindUser, Dry: true},
		Summary: "Change the title or the address of a user",
		Body:    s.userPatchBody(),
		Example: `{"email": null, "title": "Ada L."}`,
	}, s.updateUser)
	guard.Register(s.Guard, guard.Op{
		ID: "delete-user", Method: http.MethodDelete, Path: "/users/{name}", Tags: tags,
		Right: access.Admin, Scope: guard.OnUser, Class: guard.Writing,
		Policy:  guard.Policy{Kind: guard.KindUser, Dry: true},
		Summary: "Remove a user with its tokens and sessions",
	}, func(ctx context.Context, in *userPath) (*struct{}, error) {
		return nil, s.config.Users.DeleteUser(ctx, in.Name)
	})
	guard.Register(s.Guard, guard.Op{
		ID: "disable-user", Method: http.MethodPost, Path: "/users/{name}/disable", Tags: tags,
		Right: access.Admin, Scope: guard.OnUser, Class: guard.Writing,
		Policy:  guard.Policy{Kind: guard.KindUser, Dry: true},
		Summary: "Let nothing of a user be good any more: neither password, session nor token",
	}, func(ctx context.Context, in *userPath) (*userReply, error) {
		return shownUser(s.config.Users.SetDisabled(ctx, in.Name, true))
	})
	guard.Register(s.Guard, guard.Op{
		ID: "enable-user", Method: http.MethodPost, Path: "/users/{name}/enable", Tags: tags,
		Right: access.Admin, Scope: guard.OnUser, Class: guard.Writing,
		Policy:  guard.Policy{Kind: guard.KindUser, Dry: true},
		Summary: "Let a user come in again, with the password and tokens of before",
	}, func(ctx context.Context, in *userPath) (*userReply, error) {
		return shownUser(s.config.Users.SetDisabled(ctx, in.Name, false))
	})
	guard.Register(s.Guard, guard.Op{
		ID: "set-user-password", Method: http.MethodPut, Path: "/users/{name}/password", Tags: tags,
		Right: access.Admin, Scope: guard.OnUser, Class: guard.Writing,
		Policy:  guard.Policy{Kind: guard.KindUser, Part: true, Shown: true},
		Summary: "Set the password of a user, who has to change it at the next sign-in; all its sessions end",
	}, func(ctx context.Context, in *newPassword) (*userReply, error) {
		return shownUser(s.config.Users.SetPassword(ctx, in.Name, redacted.New(in.Body.Password), in.Body.Final))
	})
}

func shownUser(u access.User, err error) (*userReply, error) {
	if err != nil {
		return nil, err
	}
	return &userReply{api.FromUser(&u)}, nil
}

func (s *userRoom) listUsers(ctx context.Context, in *userQuery) (*userList, error) {
	order := guard.OrderOf(in.Sort)
	q := users.UserQuery{
		Kind: in.Kind, State: in.State, Role: in.Role, Namespace: in.Namespace, By: order.By, Down: order.Down, Limit: in.Limit,
	}
	var err error
	if q.After, err = userMark(in); err != nil {
		return nil, err
	}
	users, more, err := s.config.Users.Users(ctx, q)
	if err != nil {
		return nil, err
	}
	list := api.UserList{Users: make([]api.User, len(users))}
	for i := range users {
		list.Users[i] = api.FromUser(&users[i])
	}
	if n := len(users); more && n > 0 {
		list.Next = userCursor(in.Sort, q.MarkOf(&users[n-1]))
	}
	return &userList{list}, nil
}

// userMark reads the cursor of a list of users, which in order of name is a name; nil is
// the first page.
func userMark(in *userQuery) (*users.UserMark, error) {
	switch {
	case in.After == "":
		return nil, nil //nolint:nilnil // the first page has no mark
	case in.Sort == users.UsersByName && !strings.HasPrefix(in.After, "~"):
		return &users.UserMark{Name: in.After}, nil
	}
	found, err := guard.CursorParts(in.After, in.Sort, 2)
	if err != nil {
		return nil, err
	}
	value, err := strconv.ParseInt(found[0], 10, 64)
	if err != nil || value < 0 || found[1] == "" {
		return nil, job.FieldErrorf("after", "%q is damaged: send the after of the page before", in.After)
	}
	return &users.UserMark{Value: value, Name: found[1]}, nil
}

func userCursor(sort string, m users.UserMark) string {
	if sort == users.UsersByName {
		return m.Name
	}
	return guard.Cursor(sort, guard.IDText(m.Value), m.Name)
}

func (s *userRoom) createUser(ctx context.Context, in *newUser) (*madeUser, error) {
	wanted := access.User{
		Name: in.Body.Name, Kind: in.Body.Kind, Title: in.Body.Title, Email: in.Body.Email, Grants: api.ToGrants(in.Body.Grants),
	}
	if in.Body.PasswordHash != "" {
		if in.Body.Password != "" {
			return nil, job.FieldErrorf("password_hash", "is set, and password too: leave one of them out")
		}
		u, err := s.config.Users.AdoptUser(ctx, wanted, redacted.New(in.Body.PasswordHash))
		if err != nil {
			return nil, err
		}
		return &madeUser{api.MadeUser{User: api.FromUser(&u)}}, nil
	}
	u, made, err := s.config.Users.CreateUser(ctx, wanted, redacted.New(in.Body.Password))
	if err != nil {
		return nil, err
	}
	return &madeUser{api.MadeUser{User: api.FromUser(&u), Password: made.Reveal()}}, nil
}

// userPatchBody describes the body of a request as a patch of a user.
func (s *userRoom) userPatchBody() *huma.RequestBody {
	text := func(doc string) *huma.Schema {
		return &huma.Schema{Description: doc, Extensions: map[string]any{"type": []string{huma.TypeString, "null"}}}
	}
	patch := &huma.Schema{Type: huma.TypeObject, AdditionalProperties: false, Properties: map[string]*huma.Schema{
		"title": text("What people call the user; null removes it."), "email": text("The address; null removes it."),
	}}
	patch.PrecomputeMessages()
	return &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{operation.MediaJSON: {Schema: patch}}}
}

func (s *userRoom) updateUser(ctx context.Context, in *userPatch) (*userReply, error) {
	var title, email *string
	for name, value := range in.Body {
		text, isText := value.(string)
		if value != nil && !isText {
			return nil, job.FieldErrorf(name, "must be text, or null for none")
		}
		switch name {
		case "title":
			title = &text
		case "email":
			email = &text
		default:
			return nil, job.FieldErrorf(name, "is not a field that can be changed here")
		}
	}
	return shownUser(s.config.Users.DescribeUser(ctx, in.Name, title, email))
}
