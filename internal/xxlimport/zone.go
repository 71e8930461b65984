package xxlimport

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/job"
)

var distance = regexp.MustCompile(`^(?:UTC|GMT)?([+-])(\d{1,2})(?::?00)?$`)

// Zone returns the time zone that a text of a database means: a name, or a distance in
// whole hours such as +08:00 or GMT+8. It is Invalid for what is neither, such as CST,
// which is the short name of several.
func Zone(text string) (string, error) {
	text = strings.TrimSpace(text)
	switch strings.ToUpper(text) {
	case "UTC", "GMT", "Z", "+00:00", "-00:00":
		return "UTC", nil
	}
	if parts := distance.FindStringSubmatch(strings.ToUpper(text)); parts != nil {
		hours, err := strconv.Atoi(parts[2])
		sign := map[string]string{"+": "-", "-": "+"}[parts[1]] // those names count westwards
		if name := "Etc/GMT" + sign + strconv.Itoa(hours); err == nil && exists(name) {
			return name, nil
		}
	}
	if strings.Contains(text, "/") && exists(text) {
		return text, nil
	}
	return "", job.Errorf(job.Invalid, "%.60q is no time zone that is known everywhere", text)
}

func exists(zone string) bool {
	_, err := time.LoadLocation(zone)
	return err == nil
}
