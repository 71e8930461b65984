package httpcall

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/orthd/orth/job"
)

// hidden stands where something must not be seen.
const hidden = "***"

// mask hides what must not appear in a run log or a message: the executor's secrets in
// every spelling that a call may give them, and the credentials that the parameter itself
// holds.
type mask struct {
	values   []string // longest first, so that none hides a part of another
	replacer *strings.Replacer
}

// newMask hides all secrets of the executor, also those that a task does not
// name: a server may know them from another call.
func newMask(secrets map[string]string) *mask {
	m := &mask{}
	for _, value := range secrets {
		m.addSecret(value)
	}
	m.compile()
	return m
}

// addSecret hides a text, however a server may echo it.
func (m *mask) addSecret(value string) {
	if value == "" {
		return
	}
	m.values = append(m.values, value, url.QueryEscape(value), url.PathEscape(value), escapeURL(value), escapeJSON(value),
		base64.StdEncoding.EncodeToString([]byte(value)))
}

// learn hides the credentials in a call: those of its address, form and headers.
// Very short ones are no credentials and would blot out half of a text.
func (m *mask) learn(c *httpRequest) {
	add := func(value string) {
		if len(value) >= 4 {
			m.addSecret(value)
		}
	}
	for name, value := range c.Headers {
		if sensitive(name) {
			add(value)
			if _, credentials, found := strings.Cut(value, " "); found { // "Bearer …"
				add(credentials)
			}
		}
	}
	for name, value := range c.Form {
		if sensitive(name) {
			add(value)
		}
	}
	if u, err := url.Parse(c.URL); err == nil {
		if password, given := u.User.Password(); given {
			add(password)
			add(u.User.Username() + ":" + password)
		}
		for name, values := range u.Query() {
			if sensitive(name) {
				for _, value := range values {
					add(value)
				}
			}
		}
	}
	m.compile()
}

func (m *mask) compile() {
	slices.SortFunc(m.values, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b)) })
	m.values = slices.Compact(m.values)
	var pairs []string
	for _, value := range m.values {
		pairs = append(pairs, value, hidden)
	}
	m.replacer = strings.NewReplacer(pairs...)
}

func (m *mask) maskText(text string) string { return m.replacer.Replace(text) }

// trimPartial removes the end of a text that was cut when it may be the beginning of
// something hidden.
func (m *mask) trimPartial(text string) string {
	end := len(text)
	for _, value := range m.values {
		for n := min(len(value)-1, len(text)); n > len(text)-end; n-- {
			if strings.HasSuffix(text, value[:n]) {
				end = len(text) - n
				break
			}
		}
	}
	return text[:end]
}

// queryPattern finds parameters in a text that holds an address.
var queryPattern = regexp.MustCompile(`([?&;#])([^=&;#\s]+)=([^&;#\s>"]*)`)

// query hides the values of sensitive parameters in a text with addresses.
func (m *mask) query(text string) string {
	return m.maskText(queryPattern.ReplaceAllStringFunc(text, func(found string) string {
		parts := queryPattern.FindStringSubmatch(found)
		name, err := url.QueryUnescape(parts[2])
		if err == nil && !sensitive(name) {
			return found
		}
		return parts[1] + parts[2] + "=" + hidden
	}))
}

// address writes an address for people.
func (m *mask) address(u *url.URL) string {
	shown := *u
	shown.User = nil
	return m.query(shown.String())
}

// sensitive reports whether a header, parameter or field of that name holds a
// credential.
func sensitive(name string) bool {
	name = strings.NewReplacer("-", "", "_", "", ".", "").Replace(strings.ToLower(name))
	switch name {
	case "key", "sig", "sign", "pwd", "pass", "jwt":
		return true
	}
	return slices.ContainsFunc([]string{
		"auth", "cookie", "token", "secret", "passw", "apikey", "accesskey", "privatekey", "session", "credential", "signature",
	}, func(part string) bool { return strings.Contains(name, part) })
}

// secretPattern finds the places of secrets.
var secretPattern = regexp.MustCompile(`\$\{secret:([^{}]*)\}`)

// reveal puts the secrets where the call names them.
func (c *httpRequest) reveal(secrets map[string]string) error {
	for _, name := range c.Secrets {
		if _, exists := secrets[name]; !exists {
			return job.FieldErrorf("param", "this executor has no secret %q: an operator adds it to the executor's secrets", job.Clean(name, 40))
		}
	}
	var missing error
	put := func(text *string, escape func(string) string) {
		*text = secretPattern.ReplaceAllStringFunc(*text, func(found string) string {
			name := secretPattern.FindStringSubmatch(found)[1]
			if !slices.Contains(c.Secrets, name) {
				missing = job.FieldErrorf("param", "${secret:%s} is used and not listed: add %q to the field secrets",
					job.Clean(name, 40), job.Clean(name, 40))
			}
			return escape(secrets[name])
		})
	}
	asIs := func(value string) string { return value }
	put(&c.URL, escapeURL)
	if c.json {
		put(&c.Body, escapeJSON)
	} else {
		put(&c.Body, asIs)
	}
	for name, value := range c.Headers {
		put(&value, strings.TrimSpace)
		if strings.ContainsFunc(value, isControl) {
			missing = job.FieldErrorf("param", "the header %s would hold a secret of several lines, which HTTP does not allow", name)
		}
		c.Headers[name] = value
	}
	for name, value := range c.Form {
		put(&value, asIs)
		c.Form[name] = value
	}
	return missing
}

// escapeURL makes a text fit for every part of an address.
func escapeURL(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }

// escapeJSON makes a text fit for the inside of a JSON text.
func escapeJSON(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		return ""
	}
	return string(quoted[1 : len(quoted)-1])
}
