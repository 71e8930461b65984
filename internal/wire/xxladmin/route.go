package xxladmin

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/orthd/orth/internal/wire/xxl"
)

// route is how one path of the old admins is served.
type route struct {
	serve func(h *Handler, ctx context.Context, c *adminCall) (payload any, err error)
	// reads: nothing is changed, so that GET is accepted besides POST.
	reads bool
	// slow: the call needs a place among those that read much.
	slow bool
	// open: no credential is required.
	open bool
	// code: the form may hold a script.
	code bool
	// speech is the generation that alone has the path; unknown when several have it.
	speech generation
	// ids: releases from 3.3 on name what is changed by ids[], and earlier ones by id.
	ids bool
}

// routes are those of all generations, by the path below the context path.
func routes() map[string]route {
	return map[string]route{
		"login":        {serve: (*Handler).logIn, open: true, speech: tables},
		"auth/doLogin": {serve: (*Handler).logIn, open: true, speech: pages},
		"logout":       {serve: (*Handler).logOut, open: true, speech: tables},
		"auth/logout":  {serve: (*Handler).logOut, open: true, speech: pages},

		"jobinfo/pageList":        {serve: (*Handler).listJobs, reads: true, slow: true},
		"jobinfo/getById":         {serve: (*Handler).loadJob, reads: true}, // of forks; clients try it first
		"jobinfo/add":             {serve: (*Handler).addJob, code: true, speech: tables},
		"jobinfo/insert":          {serve: (*Handler).addJob, code: true, speech: pages},
		"jobinfo/update":          {serve: (*Handler).updateJob, code: true},
		"jobinfo/remove":          {serve: (*Handler).removeJob, speech: tables},
		"jobinfo/delete":          {serve: (*Handler).removeJob, speech: pages},
		"jobinfo/start":           {serve: (*Handler).startJob, ids: true},
		"jobinfo/stop":            {serve: (*Handler).stopJob, ids: true},
		"jobinfo/trigger":         {serve: (*Handler).triggerJob},
		"jobinfo/nextTriggerTime": {serve: (*Handler).nextTriggerTimes, reads: true},

		"jobgroup/pageList": {serve: (*Handler).listGroups, reads: true, slow: true},
		"jobgroup/loadById": {serve: (*Handler).loadGroup, reads: true},
		"jobgroup/save":     {serve: (*Handler).addGroup, speech: tables},
		"jobgroup/insert":   {serve: (*Handler).addGroup, speech: pages},
		"jobgroup/update":   {serve: (*Handler).updateGroup},
		"jobgroup/remove":   {serve: (*Handler).removeGroup, speech: tables},
		"jobgroup/delete":   {serve: (*Handler).removeGroup, speech: pages},

		"joblog/getJobsByGroup": {serve: (*Handler).jobsOfGroup, reads: true, slow: true},
		"joblog/pageList":       {serve: (*Handler).listAttempts, reads: true, slow: true},
		"joblog/logDetailCat":   {serve: (*Handler).readLog, reads: true, slow: true},
		"joblog/logKill":        {serve: (*Handler).killRun},
		"joblog/clearLog":       {serve: (*Handler).clean},
	}
}

// folders are the paths at and below which everything is answered here, so that a script
// learns which calls there are.
func folders() []string {
	return []string{"jobinfo", "jobgroup", "joblog", "jobcode", "user", "auth"}
}

// nameOf returns the part of a path below the context path, and whether it belongs to
// the old admins' web API.
func nameOf(path string) (name string, is bool) {
	name = xxl.UnderContext(path)
	if name == "login" || name == "logout" {
		return name, true
	}
	return name, slices.ContainsFunc(folders(), func(folder string) bool { return name == folder || strings.HasPrefix(name, folder+"/") })
}

// Serves reports whether a path belongs to the old admins' web API, at the root or below
// their context paths.
func Serves(path string) bool {
	_, is := nameOf(path)
	return is
}

// names are the paths that are served, for people.
func (h *Handler) names() string {
	return strings.Join(slices.Sorted(maps.Keys(h.routes)), ", ")
}

func (r *route) takes(method string) bool {
	return method == http.MethodPost || r.reads && method == http.MethodGet
}

func (r *route) allow() string {
	if r.reads {
		return "GET, POST"
	}
	return http.MethodPost
}

// The most bytes of a form. A script of the largest size fits, escaped.
const (
	maxForm     = 64 << 10
	maxCodeForm = 2 << 20
)

func (r *route) bodyLimit() int64 {
	if r.code {
		return maxCodeForm
	}
	return maxForm
}
