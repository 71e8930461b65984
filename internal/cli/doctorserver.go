package cli

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// What is asked of a server's clock and certificate.
const (
	clockOff   = 3 * time.Second
	clockWrong = 30 * time.Second
	endsSoon   = 21 * 24 * time.Hour
)

// remote checks the server that commands talk to, and what it knows.
func (d *doctor) remote(ctx context.Context) {
	found, err := d.find()
	if err != nil {
		message, hint := explain(err)
		d.say("server", checkFail, hint, "%s", message)
		return
	}
	if !d.reach(ctx, found) {
		return
	}
	c, err := d.dial(found)
	if err != nil {
		message, hint := explain(err)
		d.say("server", checkFail, hint, "%s", message)
		return
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(ctx, 4*probeFor)
	defer cancel()
	if !d.identity(ctx, c, found) {
		return
	}
	if version, err := c.Version(ctx); err == nil {
		status := checkOK
		if version != d.Version {
			status = checkWarn
		}
		d.say("versions", status, "use the same version on both sides: the older one may not know all of the newer", "the server is %s, this program %s", version, d.Version)
	}
	d.executors(ctx, c)
	warnings, err := c.Warnings(ctx)
	for _, warning := range warnings {
		d.say("warning", checkWarn, "docs/credentials.md, docs/security.md, docs/executors.md and docs/alarms.md say more", "%s", printable(warning))
	}
	if err == nil && len(warnings) == 0 {
		d.say("warnings", checkOK, "", "the server has none")
	}
}

// reach asks whether the server answers at all, and looks at its clock and certificate.
// False means that there is no use in asking it more.
func (d *doctor) reach(ctx context.Context, found target) bool {
	trust, err := d.trust(found)
	if err != nil {
		message, hint := explain(err)
		d.say("authorities", checkFail, hint, "%s", message)
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, probeFor)
	defer cancel()
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: trust, DisableKeepAlives: true}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(found.address.value, "/")+"/healthz", nil)
	if err != nil {
		d.say("server", checkFail, "write its address such as http://127.0.0.1:8080", "%q is no address", found.address.value)
		return false
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		d.unreachable(found, err)
		return false
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<16))
	if response.StatusCode != http.StatusOK {
		d.say("server", checkFail, "look at its log, and at what stands between", "%s answers with status %d", found.address.value, response.StatusCode)
		return false
	}
	d.say("server", checkOK, "", "%s answers (named by %s)", found.address.value, found.address.from)
	d.clock(response.Header.Get("Date"), time.Now())
	if response.TLS != nil && len(response.TLS.PeerCertificates) > 0 {
		d.certificate(response.TLS.PeerCertificates[0], time.Now())
	} else if strings.HasPrefix(found.address.value, "http://") && !isLocal(found.address.value) {
		d.say("encryption", checkWarn, "give the server a certificate (docs/tls.md), or put a proxy with one before it", "the token goes to %s in clear", found.address.value)
	}
	return true
}

// unreachable says why a server does not answer.
func (d *doctor) unreachable(found target, err error) {
	if doubt, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		d.say("certificate", checkFail, "name the authority that signed it with --ca or ORTH_CA, and call the server by a name that is in it", "it is not trusted: %v", doubt.Err)
		return
	}
	d.say("server", checkFail, "start it, or name another with --server; 'orth context explain' says where this one comes from", "%s does not answer: %v", found.address.value, err)
}

// isLocal reports whether an address is of this machine.
func isLocal(address string) bool {
	for _, begin := range []string{"http://127.", "http://localhost", "http://[::1]"} {
		if strings.HasPrefix(address, begin) {
			return true
		}
	}
	return false
}

// clock compares the server's clock with that of this machine, which has the seconds of
// the header only.
func (d *doctor) clock(date string, now time.Time) {
	theirs, err := http.ParseTime(date)
	if err != nil {
		return
	}
	off := now.Sub(theirs.Add(time.Second / 2)).Abs()
	status := checkOK
	switch {
	case off > clockWrong:
		status = checkFail
	case off > clockOff:
		status = checkWarn
	}
	d.say("clock", status, "let NTP (chrony, systemd-timesyncd) set the clocks of both machines", "the server's is %s from that of this machine, to the second", off.Round(time.Second))
}

// certificate looks at the dates of what the server shows; its names were checked by the
// call.
func (d *doctor) certificate(shown *x509.Certificate, now time.Time) {
	left := shown.NotAfter.Sub(now)
	status := checkOK
	if left < endsSoon {
		status = checkWarn
	}
	names := slices.Concat(shown.DNSNames, []string{})
	for _, ip := range shown.IPAddresses {
		names = append(names, ip.String())
	}
	d.say("certificate", status, "renew it; the server takes the new file by itself", "for %s, until %s (%s)",
		firstOf(strings.Join(names, ", "), "no name"), shown.NotAfter.In(d.Location).Format("2006-01-02"), plural.Count(int(left.Hours()/24), "day"))
}

// identity asks whether the token is good, and whose it is.
func (d *doctor) identity(ctx context.Context, c *client.Client, found target) bool {
	if found.token.IsZero() {
		d.say("token", checkFail, "name it with --token-file, ORTH_TOKEN or 'orth context set', or sign in with 'orth login'", "there is none for this server")
		return false
	}
	me, err := c.Me(ctx)
	switch {
	case job.Is(err, job.NotFound): // an older server
		_, err = c.Version(ctx)
		if err == nil {
			d.say("token", checkOK, "", "good (from %s)", found.tokenFrom)
		}
	case err == nil:
		d.say("token", checkOK, "", "good, of %s (from %s)", whose(&me), found.tokenFrom)
	}
	if err != nil {
		message, hint := explain(err)
		d.say("token", checkFail, firstOf(hint, "name another with --token-file or ORTH_TOKEN"), "%s (from %s)", message, found.tokenFrom)
		return false
	}
	return true
}

// maxJobsSeen bounds how many jobs are looked at.
const maxJobsSeen = 20_000

// executors says which groups have executors that are alive, and which have jobs and
// none.
func (d *doctor) executors(ctx context.Context, c *client.Client) {
	found, err := c.Executors(ctx)
	if err != nil {
		message, hint := explain(err)
		d.say("executors", checkWarn, hint, "they cannot be asked for: %s", message)
		return
	}
	alive, away := map[string]int{}, []string{}
	troubled := false
	for i := range found {
		if e := &found[i]; e.Trouble != "" {
			troubled = true
			d.say("executor "+e.Address, checkWarn, "docs/executors.md says more", "%s", printable(e.Trouble))
		}
		if e := &found[i]; e.Unreachable == "" {
			alive[e.Group]++
		} else {
			away = append(away, e.Address)
		}
	}
	if len(away) > 0 {
		d.say("executors", checkWarn, "'orth executors' says why; in containers see 'orth executors rewrite'", "the server cannot reach %s", strings.Join(away, ", "))
	}
	jobs, _, err := listJobs(ctx, c, client.JobQuery{}, maxJobsSeen)
	if err != nil {
		message, hint := explain(err)
		d.say("groups", checkWarn, hint, "their jobs cannot be read: %s", message)
		return
	}
	idle := idleGroups(jobs, alive)
	for _, group := range idle {
		d.say("group "+group, checkWarn, "start an executor of the group with "+d.executorOf(group), "jobs of it are started, and no executor of it is alive")
	}
	if len(idle) == 0 && len(away) == 0 && !troubled {
		d.say("executors", checkOK, "", "%s of %s alive; every group with started jobs has one", plural.Count(len(found), "executor"), plural.Count(len(alive), "group"))
	}
}

// executorOf returns the command that starts an executor of a group for the server.
func (t *tool) executorOf(group string) string {
	words := []string{"executor", "--group", group}
	if found, _, _, err := t.locate(); err == nil {
		words = append(words, "--servers", found.address.value)
	}
	return inQuotes(shellLine(words...))
}

// idleGroups returns the groups with started jobs that no executor is alive in.
func idleGroups(jobs []api.Job, alive map[string]int) (idle []string) {
	for i := range jobs {
		if j := &jobs[i]; j.Enabled && alive[j.Group] == 0 && !slices.Contains(idle, j.Group) {
			idle = append(idle, j.Group)
		}
	}
	slices.Sort(idle)
	return idle
}

// whose says who calls, and with which roles.
func whose(me *api.Me) string {
	var roles []string
	for _, g := range me.Grants {
		if role := string(g.Role); !slices.Contains(roles, role) {
			roles = append(roles, role)
		}
	}
	text := string(me.Kind) + " " + me.Name
	if me.Name == string(me.Kind) {
		text = "the server itself"
	}
	if len(roles) > 0 {
		text += ": " + strings.Join(roles, ", ")
	}
	if me.MustChange {
		text += "; the password has to be changed"
	}
	return text
}
