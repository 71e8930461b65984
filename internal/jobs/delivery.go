package jobs

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/orthd/orth/job"
)

// checkDelivery reports the first thing wrong with how runs wait and are kept.
func checkDelivery(d *job.Delivery) error {
	if d.Priority != "" {
		if err := oneOf("delivery.priority", d.Priority, job.PriorityHigh, job.PriorityNormal, job.PriorityLow); err != nil {
			return err
		}
	}
	switch {
	case d.KeepRuns < 0 || d.KeepRuns > job.MaxKeepRuns:
		return job.FieldErrorf("delivery.keep_runs", "%d is not between 0 and %d", d.KeepRuns, job.MaxKeepRuns)
	case d.ExpireAfter > 0 && d.ExpireAfter < time.Second:
		return job.FieldErrorf("delivery.expire_after", "%s is shorter than 1s", d.ExpireAfter)
	}
	return cmp.Or(
		checkSpan("delivery.expire_after", d.ExpireAfter, job.MaxExpireAfter),
		checkSpan("delivery.deadline", d.Deadline, job.MaxDeadline),
		checkSpan("delivery.keep_for", d.KeepFor, job.MaxKeepFor),
		checkSelector(d.Selector),
	)
}

func checkSpan(field string, d, most time.Duration) error {
	if d < 0 || d > most {
		return job.FieldErrorf(field, "%s is not between 0 and %s", d, most)
	}
	return nil
}

// checkSelector reports labels that no executor can have.
func checkSelector(selector map[string]string) error {
	const field = "delivery.selector"
	if err := job.CheckLabels(field, selector); err != nil {
		return err
	}
	for key, value := range selector {
		if n := len(key) + 1 + len(value); n > job.MaxFeature {
			return job.FieldErrorf(field, "%s=%s has %d bytes, and features of executors at most %d", key, value, n, job.MaxFeature)
		}
	}
	return nil
}

// addressesOf returns the addresses that a run of the job may go to, as they are
// registered: a server calls only registered executors.
func (c *Catalog) addressesOf(j *job.Job, wanted []string) ([]string, error) {
	if len(wanted) == 0 {
		return nil, nil
	}
	if len(wanted) > job.MaxAddresses {
		return nil, job.FieldErrorf("addresses", "are %d, at most %d are allowed", len(wanted), job.MaxAddresses)
	}
	var known []string
	for _, e := range c.config.Leases.Executors() {
		if e.GroupID == j.GroupID {
			known = append(known, e.Address)
		}
	}
	var addresses []string
	for _, address := range wanted {
		i := slices.IndexFunc(known, func(k string) bool { return strings.TrimRight(k, "/") == strings.TrimRight(address, "/") })
		if i < 0 {
			return nil, unknownAddress(j.Group, address, known)
		}
		if !slices.Contains(addresses, known[i]) {
			addresses = append(addresses, known[i])
		}
	}
	return addresses, nil
}

// unknownAddress is the error of an address that is none of an executor.
func unknownAddress(group, address string, known []string) error {
	if len(known) == 0 {
		return job.FieldErrorf("addresses", "%q is no executor of group %s, which has none at the moment", job.Clean(address, 100), group)
	}
	const shown = 10
	list := strings.Join(known[:min(shown, len(known))], ", ")
	if len(known) > shown {
		list += ", …"
	}
	return job.FieldErrorf("addresses", "%q is no executor of group %s: use some of %s", job.Clean(address, 100), group, list)
}
