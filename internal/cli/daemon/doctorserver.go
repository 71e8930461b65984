package daemon

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
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// Thresholds for the clock and the certificate of a server.
const (
	clockOff   = 3 * time.Second
	clockWrong = 30 * time.Second
	endsSoon   = 21 * 24 * time.Hour
)

// remote checks the server of the commands and its state.
func (d *doctor) remote(ctx context.Context) {
	found, err := d.FindServer()
	if err != nil {
		message, hint := kit.ExplainError(err)
		d.record("server", checkFail, hint, "%s", message)
		return
	}
	if !d.reach(ctx, found) {
		return
	}
	c, err := d.Dial(found)
	if err != nil {
		message, hint := kit.ExplainError(err)
		d.record("server", checkFail, hint, "%s", message)
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
		d.record("versions", status, "use the same version on both sides; the older one may lack features", "the server is %s, this program %s", version, d.Version)
	}
	d.executors(ctx, c)
	warnings, err := c.Warnings(ctx)
	for _, warning := range warnings {
		d.record("warning", checkWarn, "see docs/credentials.md, docs/security.md, docs/executors.md and docs/alarms.md", "%s", output.Printable(warning))
	}
	if err == nil && len(warnings) == 0 {
		d.record("warnings", checkOK, "", "none")
	}
}

// reach checks that the server answers, its clock and its certificate. It returns false
// when further checks are pointless.
func (d *doctor) reach(ctx context.Context, found kit.Target) bool {
	trust, err := d.TrustOf(found)
	if err != nil {
		message, hint := kit.ExplainError(err)
		d.record("authorities", checkFail, hint, "%s", message)
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, probeFor)
	defer cancel()
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: trust, DisableKeepAlives: true}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(found.Address.Value, "/")+"/healthz", nil)
	if err != nil {
		d.record("server", checkFail, "use an address such as http://127.0.0.1:8080", "%q is not an address", found.Address.Value)
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
		d.record("server", checkFail, "check its log and any proxies in between", "%s answers with status %d", found.Address.Value, response.StatusCode)
		return false
	}
	d.record("server", checkOK, "", "%s responds (set by %s)", found.Address.Value, found.Address.From)
	d.clock(response.Header.Get("Date"), time.Now())
	if response.TLS != nil && len(response.TLS.PeerCertificates) > 0 {
		d.certificate(response.TLS.PeerCertificates[0], time.Now())
	} else if strings.HasPrefix(found.Address.Value, "http://") && !isLocal(found.Address.Value) {
		d.record("encryption", checkWarn, "configure TLS on the server (docs/tls.md) or on a proxy", "the token is sent to %s unencrypted", found.Address.Value)
	}
	return true
}

// unreachable reports why a server does not respond.
func (d *doctor) unreachable(found kit.Target, err error) {
	if doubt, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		d.record("certificate", checkFail, "set the CA with --ca or ORTH_CA, and use a host name of the certificate", "not trusted: %v", doubt.Err)
		return
	}
	d.record("server", checkFail, "start it, or set another with --server; 'orth context explain' shows where the address comes from", "%s does not respond: %v", found.Address.Value, err)
}

// isLocal reports whether an address is on this machine.
func isLocal(address string) bool {
	for _, begin := range []string{"http://127.", "http://localhost", "http://[::1]"} {
		if strings.HasPrefix(address, begin) {
			return true
		}
	}
	return false
}

// clock compares the clock of the server with that of this machine, at the resolution of
// the Date header: seconds.
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
	d.record("clock", status, "synchronize the clocks of both machines by NTP (chrony, systemd-timesyncd)", "differs from this machine by %s (resolution 1s)", off.Round(time.Second))
}

// certificate checks the validity period of the certificate; the TLS handshake has
// checked its names.
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
	d.record("certificate", status, "renew it; the server reloads the file automatically", "for %s, until %s (%s)",
		kit.FirstOf(strings.Join(names, ", "), "no name"), shown.NotAfter.In(d.Location).Format("2006-01-02"), plural.Count(int(left.Hours()/24), "day"))
}

// identity checks the token and finds its user.
func (d *doctor) identity(ctx context.Context, c *client.Client, found kit.Target) bool {
	if found.Token.IsZero() {
		d.record("token", checkFail, "set it with --token-file, ORTH_TOKEN or 'orth context set', or sign in with 'orth login'", "no token for this server")
		return false
	}
	me, err := c.Me(ctx)
	switch {
	case job.Is(err, job.NotFound): // an older server
		_, err = c.Version(ctx)
		if err == nil {
			d.record("token", checkOK, "", "valid (from %s)", found.TokenFrom)
		}
	case err == nil:
		d.record("token", checkOK, "", "valid, of %s (from %s)", whose(&me), found.TokenFrom)
	}
	if err != nil {
		message, hint := kit.ExplainError(err)
		d.record("token", checkFail, kit.FirstOf(hint, "set another with --token-file or ORTH_TOKEN"), "%s (from %s)", message, found.TokenFrom)
		return false
	}
	return true
}

// maxJobsSeen is the maximum number of jobs to inspect.
const maxJobsSeen = 20_000

// executors reports groups with live executors, and groups with jobs but without
// executors.
func (d *doctor) executors(ctx context.Context, c *client.Client) {
	found, err := c.Executors(ctx)
	if err != nil {
		message, hint := kit.ExplainError(err)
		d.record("executors", checkWarn, hint, "cannot be listed: %s", message)
		return
	}
	alive, away := map[string]int{}, []string{}
	troubled := false
	for i := range found {
		if e := &found[i]; e.Trouble != "" {
			troubled = true
			d.record("executor "+e.Address, checkWarn, "see docs/executors.md", "%s", output.Printable(e.Trouble))
		}
		if e := &found[i]; e.Unreachable == "" {
			alive[e.Group]++
		} else {
			away = append(away, e.Address)
		}
	}
	if len(away) > 0 {
		d.record("executors", checkWarn, "'orth executors' shows the reason; in containers see 'orth executors rewrite'", "the server cannot reach %s", strings.Join(away, ", "))
	}
	jobs, _, err := kit.ListJobs(ctx, c, client.JobQuery{}, maxJobsSeen)
	if err != nil {
		message, hint := kit.ExplainError(err)
		d.record("groups", checkWarn, hint, "jobs cannot be listed: %s", message)
		return
	}
	idle := idleGroups(jobs, alive)
	for _, group := range idle {
		d.record("group "+group, checkWarn, "start an executor of the group with "+executorOf(d.Tool, group), "the group has enabled jobs but no live executor")
	}
	if len(idle) == 0 && len(away) == 0 && !troubled {
		d.record("executors", checkOK, "", "%s of %s alive; every group with enabled jobs has one", plural.Count(len(found), "executor"), plural.Count(len(alive), "group"))
	}
}

// executorOf returns the command that starts an executor of a group.
func executorOf(t *kit.Tool, group string) string {
	words := []string{"executor", "--group", group}
	if found, _, _, err := t.LocateServer(); err == nil {
		words = append(words, "--servers", found.Address.Value)
	}
	return kit.Quote(kit.ShellLine(words...))
}

// idleGroups returns the groups with enabled jobs but without live executors.
func idleGroups(jobs []api.Job, alive map[string]int) (idle []string) {
	for i := range jobs {
		if j := &jobs[i]; j.Enabled && alive[j.Group] == 0 && !slices.Contains(idle, j.Group) {
			idle = append(idle, j.Group)
		}
	}
	slices.Sort(idle)
	return idle
}

// whose returns the caller and its roles.
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
		text += "; the password must be changed"
	}
	return text
}
