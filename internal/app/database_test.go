package app

import (
	"strings"
	"testing"

	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

func TestDatabaseAddress(t *testing.T) {
	t.Parallel()
	const password = "hunter2hunter2"
	for address, good := range map[string]bool{
		"": true, "postgres://host/db": true, "postgresql://u:" + password + "@host/db": true,
		"mysql://u:" + password + "@host/db": true, "mariadb://u@host:3307/db": true, "u:" + password + "@tcp(host:3306)/db?tls=true": true,
		"oracle://u:" + password + "@host/db": false, "u:" + password + "@host/db": false, "host=h password=" + password: false,
	} {
		err := (&Config{Database: redacted.New(address)}).checkDatabase()
		if (err == nil) != good || !good && !job.Is(err, job.Invalid) {
			t.Errorf("%q: %v", address, err)
		}
		if err != nil && strings.Contains(err.Error(), password) {
			t.Errorf("the password is told: %v", err)
		}
	}
}
