package jobs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/orthd/orth/job"
)

func TestCheckEmails(t *testing.T) {
	t.Parallel()
	many := make([]string, job.MaxAlarmEmails+1)
	for i := range many {
		many[i] = fmt.Sprintf("a%d@example.com", i)
	}
	for _, c := range []struct {
		name      string
		addresses []string
		field     string // at fault; "" when they are good
	}{
		{"none", nil, ""},
		{"as many as may be", many[:job.MaxAlarmEmails], ""},
		{"with a tag and a part of a domain", []string{"ops+orth@mail.example.com", "b@localhost"}, ""},
		{"too many", many, "alarm_emails"},
		{"no address", []string{"a@example.com", "ops"}, "alarm_emails"},
		{"empty", []string{""}, "alarm_emails"},
		{"with a name", []string{"Ops <ops@example.com>"}, "alarm_emails"},
		{"with spaces around", []string{" ops@example.com"}, "alarm_emails"},
		{"two in one", []string{"a@example.com,b@example.com"}, "alarm_emails"},
		{"a line of its own", []string{"a@example.com\r\nBcc: b@example.com"}, "alarm_emails"},
		{"too long", []string{strings.Repeat("a", 250) + "@b.de"}, "alarm_emails"},
		{"with a space inside", []string{`"a b"@example.com`}, "alarm_emails"},
		{"in another script", []string{"büro@example.com"}, "alarm_emails"},
		{"twice", []string{"a@example.com", "A@example.com"}, "alarm_emails"},
	} {
		err := checkEmails("alarm_emails", c.addresses)
		switch wrong, _ := err.(*job.Error); { //nolint:errorlint // It is made here.
		case c.field == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.field != "" && (wrong == nil || wrong.Field != c.field || wrong.Kind != job.Invalid):
			t.Errorf("%s: %v; want an error about %s", c.name, err, c.field)
		}
	}
}
