package jobs

import (
	"net/mail"
	"strings"

	"github.com/orthd/orth/job"
)

// maxEmail is the bytes of an address that mail servers take.
const maxEmail = 254

// CheckEmails reports what a job's list of addresses for alarms cannot be, as a server
// does. field names it in the error. Kinds: Invalid.
func CheckEmails(field string, addresses []string) error { return checkEmails(field, addresses) }

// checkEmails reports addresses that no mail can be sent to, and those that are
// named twice.
func checkEmails(field string, addresses []string) error {
	if len(addresses) > job.MaxAlarmEmails {
		return job.FieldErrorf(field, "has %d addresses, at most %d are allowed", len(addresses), job.MaxAlarmEmails)
	}
	seen := make(map[string]bool, len(addresses))
	for _, address := range addresses {
		parsed, err := mail.ParseAddress(address)
		switch {
		case len(address) > maxEmail:
			return job.FieldErrorf(field, "%.20q… has %d bytes, an address at most %d", address, len(address), maxEmail)
		case err != nil || parsed.Address != address || strings.ContainsFunc(address, odd):
			return job.FieldErrorf(field, "%.100q is not a mail address, such as ops@example.com", address)
		case seen[strings.ToLower(address)]:
			return job.FieldErrorf(field, "%s is named twice", address)
		}
		seen[strings.ToLower(address)] = true
	}
	return nil
}

// odd reports what only mail servers with extensions take.
func odd(r rune) bool { return r <= ' ' || r >= 0x7f || r == '<' || r == '>' }
