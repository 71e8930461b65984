package xxladmin

import (
	"net/http"
	"strings"
)

// generation is the shape of answers that a script reads.
type generation int

// The generations. One that is unknown is answered under the names of both.
const (
	unknown generation = iota
	// tables is that of releases up to 3.2: payloads are the content, lists have
	// recordsTotal and data.
	tables
	// pages is that of releases from 3.3 on: payloads are the data, lists are a page
	// in it.
	pages
)

// The names of the cookie of a login, up to release 3.1 and after it.
const (
	oldCookie = "XXL_JOB_LOGIN_IDENTITY"
	newCookie = "xxl_job_login_token"
)

// firstOf returns the first generation that is known.
func firstOf(all ...generation) generation {
	for _, g := range all {
		if g != unknown {
			return g
		}
	}
	return unknown
}

// generationOf detects from a request which answer is expected: by a path or fields that
// one generation alone has, then by the name of the cookie.
func generationOf(r route, f *form, shown credential) generation {
	byFields := unknown
	switch {
	case f.has("offset") || f.has("pagesize") || f.has("ids[]"):
		byFields = pages
	case f.has("start") || f.has("length") || r.ids && f.has("id"):
		byFields = tables
	}
	return firstOf(r.speech, byFields, shown.speech)
}

// credential is what a request shows of who makes it.
type credential struct {
	token, session string
	// wrong: the credential cannot be distinguished from none, or from two.
	wrong  bool
	speech generation
}

// credentialOf looks for a bearer, then for the cookie of a login, then for a token in
// the headers of executors: scripts send those along with the cookie, and they may hold
// what opens nothing here.
func credentialOf(r *http.Request) credential {
	if headers := r.Header["Authorization"]; len(headers) > 0 {
		scheme, token, _ := strings.Cut(headers[0], " ")
		token = strings.TrimSpace(token)
		return credential{token: token, wrong: len(headers) > 1 || !strings.EqualFold(scheme, "Bearer") || token == ""}
	}
	for _, c := range []struct {
		name   string
		speech generation
	}{{newCookie, pages}, {oldCookie, tables}} {
		switch found := r.CookiesNamed(c.name); {
		case len(found) == 1:
			return credential{session: found[0].Value, wrong: found[0].Value == "", speech: c.speech}
		case len(found) > 1: // a stranger may have set one of them
			return credential{wrong: true, speech: c.speech}
		}
	}
	for _, name := range []string{"Xxl-Job-Access-Token", "Orth-Access-Token"} {
		if values := r.Header[name]; len(values) > 0 {
			return credential{token: values[0], wrong: len(values) > 1 || values[0] == ""}
		}
	}
	return credential{}
}
