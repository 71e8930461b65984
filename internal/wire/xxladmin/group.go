package xxladmin

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// Groups finds the groups that the caller of a context may see.
type Groups interface {
	// Group returns a group, or NotFound.
	Group(ctx context.Context, id int64) (Group, error)
	// FindGroups returns groups in order of key, and how many there are in all.
	FindGroups(ctx context.Context, q GroupQuery) ([]Group, int, error)
}

// Group is a group with the base URLs of its executors.
type Group struct {
	job.Group

	Registered []string // those that have registered and are alive
	ByHand     []string // those that people have entered
}

// GroupQuery selects groups.
type GroupQuery struct {
	// Match reports whether a group is wanted.
	Match         func(*job.Group) bool
	Offset, Limit int
}

// The ways in which the old admins know the addresses of a group.
const (
	addressesRegister = 0
	addressesByHand   = 1
)

// maxGroupRows bounds the groups of one answer, maxByHand the addresses that one request
// enters.
const (
	maxGroupRows = 1000
	maxByHand    = 64
)

// groupRow is a group as lists show it: without its tokens, which release 3.5 shows.
type groupRow struct {
	ID        int64    `json:"id"`
	App       string   `json:"appname"`
	Title     string   `json:"title"`
	Name      *string  `json:"name,omitempty"` // what release 3.5 calls the title
	Type      int      `json:"addressType"`
	Addresses string   `json:"addressList"`
	Updated   *string  `json:"updateTime"`
	Registry  []string `json:"registryList"`
}

func rowOfGroup(g *Group, speech generation, named bool) groupRow {
	r := groupRow{
		ID: g.ID, App: g.Key, Title: groupTitle(&g.Group), Updated: speech.stamp(g.CreatedAt),
		Type: addressesRegister, Addresses: strings.Join(g.Registered, ","), Registry: append([]string{}, g.Registered...),
	}
	if len(g.ByHand) > 0 {
		r.Type, r.Addresses = addressesByHand, strings.Join(g.ByHand, ",")
		r.Registry = slices.Concat(r.Registry, g.ByHand)
	}
	if named {
		r.Name = &r.Title
	}
	return r
}

// groupTitle returns what lists call a group: its key when it has no title.
func groupTitle(g *job.Group) string {
	if g.Title == "" {
		return g.Key
	}
	return g.Title
}

// listGroups answers jobgroup/pageList.
func (h *Handler) listGroups(ctx context.Context, c *adminCall) (any, error) {
	part, err := c.form.readRows(maxGroupRows)
	if err != nil {
		return nil, err
	}
	app, title := c.form.trimmed("appname"), titleIn(&c.form)
	found, total, err := h.config.Groups.FindGroups(ctx, GroupQuery{
		Match:  func(g *job.Group) bool { return contains(g.Key, app) && contains(groupTitle(g), title) },
		Offset: part.offset, Limit: part.shown(),
	})
	if err != nil {
		return nil, err
	}
	shown := make([]groupRow, len(found))
	for i := range found {
		shown[i] = rowOfGroup(&found[i], c.speech, c.form.has("name"))
	}
	return part.answerPage(shown, total)
}

// titleIn returns the title in a form, which release 3.5 calls the name.
func titleIn(f *form) string {
	if f.has("title") {
		return f.trimmed("title")
	}
	return f.trimmed("name")
}

// groupOf returns the group that a field names by its id.
func (h *Handler) groupOf(ctx context.Context, f *form, field string) (Group, error) {
	id, err := f.number(field, 0)
	if err != nil {
		return Group{}, err
	}
	g, err := h.config.Groups.Group(ctx, id)
	if job.Is(err, job.NotFound) {
		err = job.Errorf(job.NotFound, "%s: there is no group %d that you may see; jobgroup/pageList has the ids", textNoGroup, id)
	}
	return g, err
}

// loadGroup answers jobgroup/loadById.
func (h *Handler) loadGroup(ctx context.Context, c *adminCall) (any, error) {
	g, err := h.groupOf(ctx, &c.form, "id")
	if err != nil {
		return nil, err
	}
	return rowOfGroup(&g, c.speech, false), nil
}

// addGroup answers jobgroup/save and jobgroup/insert.
func (h *Handler) addGroup(ctx context.Context, c *adminCall) (any, error) {
	byHand, given, err := addressesIn(&c.form)
	if err != nil {
		return nil, err
	}
	app := c.form.trimmed("appname")
	if app == "" {
		return nil, job.FieldErrorf("appname", "is missing: it is the name under which executors register")
	}
	if _, err := h.request(ctx, http.MethodPost, "/groups", api.NewGroup{Key: app, Title: titleIn(&c.form)}, nil); err != nil {
		return nil, err
	}
	if !given {
		return nil, nil //nolint:nilnil // the answer holds nothing
	}
	return nil, h.enter(ctx, app, nil, byHand)
}

// updateGroup answers jobgroup/update. The name under which executors register stays.
func (h *Handler) updateGroup(ctx context.Context, c *adminCall) (any, error) {
	g, err := h.groupOf(ctx, &c.form, "id")
	if err != nil {
		return nil, err
	}
	if app := c.form.trimmed("appname"); app != "" && app != g.Key {
		return nil, job.FieldErrorf("appname", "is %s and stays so: executors register under it; make another group instead", g.Key)
	}
	byHand, given, err := addressesIn(&c.form)
	if err != nil {
		return nil, err
	}
	patch := api.GroupPatch{Title: new(g.Title)}
	if title := titleIn(&c.form); title != "" && title != groupTitle(&g.Group) {
		patch.Title = &title
	}
	if _, err := h.request(ctx, http.MethodPatch, groupPath(g.Key, ""), patch, nil); err != nil {
		return nil, err
	}
	if !given {
		return nil, nil //nolint:nilnil // the answer holds nothing
	}
	return nil, h.enter(ctx, g.Key, g.ByHand, byHand)
}

// addressesIn returns the addresses that are entered by hand, and false when the form has
// no field for them.
func addressesIn(f *form) (byHand []string, given bool, err error) {
	kind, err := f.number("addressType", -1)
	switch {
	case err != nil:
		return nil, false, err
	case kind == -1:
		return nil, false, nil
	case kind == addressesRegister:
		return nil, true, nil
	case kind != addressesByHand:
		return nil, false, job.FieldErrorf("addressType", "%d is unknown; use 0 for executors that register, or 1 for an addressList", kind)
	}
	for address := range strings.SplitSeq(f.trimmed("addressList"), ",") {
		if address = strings.TrimSpace(address); address == "" || slices.Contains(byHand, address) {
			continue
		}
		u, err := url.Parse(address)
		switch {
		case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
			return nil, false, job.FieldErrorf("addressList", "%.100q is not the base URL of an executor, such as http://10.0.0.5:9999/", address)
		case len(byHand) == maxByHand:
			return nil, false, job.FieldErrorf("addressList", "has more than %d addresses", maxByHand)
		}
		byHand = append(byHand, address)
	}
	if len(byHand) == 0 {
		return nil, false, job.FieldErrorf("addressList", "is empty, and addressType 1 needs addresses; use addressType 0 for executors that register")
	}
	return byHand, true, nil
}

// enter makes the addresses of a group that were entered by hand those that are wanted.
func (h *Handler) enter(ctx context.Context, group string, present, wanted []string) error {
	for _, address := range wanted {
		if slices.Contains(present, address) {
			continue
		}
		if _, err := h.request(ctx, http.MethodPost, groupPath(group, "/addresses"), api.NewAddress{Address: address}, nil); err != nil {
			return err
		}
	}
	for _, address := range present {
		if slices.Contains(wanted, address) {
			continue
		}
		path := groupPath(group, "/addresses") + "?address=" + url.QueryEscape(address)
		if _, err := h.request(ctx, http.MethodDelete, path, nil, nil); err != nil && !job.Is(err, job.NotFound) {
			return err
		}
	}
	return nil
}

// removeGroup answers jobgroup/remove and jobgroup/delete.
func (h *Handler) removeGroup(ctx context.Context, c *adminCall) (any, error) {
	id, err := c.form.objectID()
	if err != nil {
		return nil, err
	}
	g, err := h.config.Groups.Group(ctx, id)
	if job.Is(err, job.NotFound) {
		return nil, job.Errorf(job.NotFound, "%s: there is no group %d that you may see", textNoGroup, id)
	}
	if err == nil {
		_, err = h.request(ctx, http.MethodDelete, groupPath(g.Key, ""), nil, nil)
	}
	return nil, err
}
