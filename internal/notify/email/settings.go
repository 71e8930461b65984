package email

import (
	"cmp"
	"crypto/x509"
	"errors"
	"net/mail"
	"net/netip"
	"os"
	"strconv"
	"strings"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/notify/form"
	"github.com/orthd/orth/job"
)

// maxAddresses bounds the addresses of one mail; servers need not accept more.
const maxAddresses = 100

// The values of the settings tls and auth.
const (
	startTLS, fullTLS, noTLS = "starttls", "tls", "none"

	authNone, authPlain, authLogin, authCRAM = "none", "plain", "login", "cram"
)

// settings are the decoded settings of a channel.
type settings struct {
	host, port     string
	tls, auth      string
	user, password string
	from           *mail.Address
	to             []string
	helo           string
	roots          *x509.CertPool // nil: those of the system
}

// Fields returns the fields of the channel.
func (*Kind) Fields() []form.Field {
	return []form.Field{
		{Name: "host", Needed: true, Place: true, Check: checkHost, Doc: "the name of the mail server"},
		{Name: "port", Place: true, Check: checkPort, Doc: "its port; 587 unless tls says otherwise: 465 for tls, 25 for none"},
		{Name: "tls", Default: startTLS, Check: form.OneOf(startTLS, fullTLS, noTLS), Doc: "starttls, tls from the first byte, or none"},
		{Name: "auth", Check: form.OneOf(authNone, authPlain, authLogin, authCRAM), Doc: "none, plain, login or cram; plain when there is a user"},
		{Name: "user", Doc: "who signs in"},
		{Name: "password", Secret: true, Doc: "the user's password"},
		{Name: "from", Needed: true, Check: checkAddress, Doc: "the sender, as Orth <orth@example.com>"},
		{Name: "to", Check: form.AtMost(16, checkAddress), Doc: "who gets the mails, up to 16 addresses with commas between them"},
		{Name: "helo", Check: checkHost, Doc: "the name by which Orth introduces itself; that of its machine when empty"},
		{Name: "ca", Place: true, Lines: true, Check: checkCA, Doc: "PEM certificates of the authority that the mail server's certificate comes from; those of the machine when empty"},
	}
}

// readSettings returns the settings of a channel, with defaults.
func readSettings(c alarm.Channel) (settings, error) {
	v, err := form.Read((*Kind)(nil).Fields(), c)
	if err != nil {
		return settings{}, err
	}
	s := settings{
		host: v["host"], port: v["port"], tls: v["tls"], auth: v["auth"], user: v["user"], password: v["password"],
		to: form.List(v["to"]), helo: v["helo"],
	}
	s.from, _ = parseAddress(v["from"]) // checked by its field
	if s.port == "" {
		s.port = map[string]string{startTLS: "587", fullTLS: "465", noTLS: "25"}[s.tls]
	}
	if s.auth == "" {
		s.auth = authNone
		if s.user != "" {
			s.auth = authPlain
		}
	}
	if s.helo == "" {
		name, _ := os.Hostname()
		s.helo = cmp.Or(name, "localhost")
	}
	if v["ca"] != "" {
		s.roots = x509.NewCertPool()
		s.roots.AppendCertsFromPEM([]byte(v["ca"]))
	}
	return s, s.check(c)
}

// check finds settings that contradict each other.
func (s settings) check(c alarm.Channel) error {
	signs := s.auth != authNone
	switch {
	case len(s.to) == 0 && !c.Default:
		return job.FieldErrorf("settings.to", "it is missing: only the default channel of a namespace can do without, which mails to the addresses of jobs")
	case signs && s.user == "":
		return job.FieldErrorf("settings.user", "it is missing: auth is %s", s.auth)
	case signs && s.password == "":
		return job.FieldErrorf("secrets.password", "it is missing: auth is %s", s.auth)
	case !signs && s.password != "":
		return job.FieldErrorf("settings.auth", "it is none, but there is a password: leave that out, or set user and auth")
	case s.tls == noTLS && (s.auth == authPlain || s.auth == authLogin):
		return job.FieldErrorf("settings.tls", "it is none, and auth %s would send the password for all to read: set tls to starttls or tls, or auth to cram", s.auth)
	}
	return nil
}

// parseAddress parses a mail address. Addresses that need SMTP extensions are invalid.
func parseAddress(text string) (*mail.Address, error) {
	a, err := mail.ParseAddress(text)
	if err != nil {
		return nil, err
	}
	for _, r := range a.Address {
		if r <= ' ' || r >= 0x7f || r == '<' || r == '>' {
			return nil, errors.New("it has a character that no address has")
		}
	}
	if len(a.Address) > 254 {
		return nil, errors.New("it is too long")
	}
	return a, nil
}

func checkAddress(entry string) error {
	if _, err := parseAddress(entry); err != nil {
		return job.Errorf(job.Invalid, "%q is no address of mail: write name@example.com, with names in other scripts in their xn-- form", entry)
	}
	return nil
}

func checkHost(value string) error {
	if _, err := netip.ParseAddr(value); err == nil {
		return nil
	}
	if len(value) > 253 || strings.IndexFunc(value, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-._", r)
	}) >= 0 {
		return job.Errorf(job.Invalid, "%q is no name of a host: write it without port, and in its xn-- form", value)
	}
	return nil
}

func checkPort(value string) error {
	if n, err := strconv.Atoi(value); err != nil || n < 1 || n > 65535 {
		return job.Errorf(job.Invalid, "%q is no port: write a number from 1 to 65535", value)
	}
	return nil
}

func checkCA(value string) error {
	if !x509.NewCertPool().AppendCertsFromPEM([]byte(value)) {
		return job.Errorf(job.Invalid, "it has no certificate in PEM: it begins with -----BEGIN CERTIFICATE-----")
	}
	return nil
}
