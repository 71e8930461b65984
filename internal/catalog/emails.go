package catalog

import (
	"strings"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/job"
)

// checkEmails reports addresses that no mail can be sent to, and those that are
// named twice.
func checkEmails(field string, addresses []string) error {
	if len(addresses) > job.MaxAlarmEmails {
		return job.FieldErrorf(field, "has %d addresses, at most %d are allowed", len(addresses), job.MaxAlarmEmails)
	}
	seen := make(map[string]bool, len(addresses))
	for _, address := range addresses {
		if err := access.CheckEmail(field, address); err != nil {
			return err
		}
		if seen[strings.ToLower(address)] {
			return job.FieldErrorf(field, "%s is named twice", address)
		}
		seen[strings.ToLower(address)] = true
	}
	return nil
}
