package api

import (
	"time"

	"github.com/orthd/orth/job"
)

// Delivery defines how the runs of a job wait for executors, and how long they are kept.
type Delivery struct {
	Priority    job.Priority      `json:"priority,omitempty" enum:"high,normal,low" doc:"Runs of a higher priority go first, however long others wait. Defaults to normal."`
	ExpireAfter Duration          `json:"expire_after,omitzero" pattern:"^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$" patternDescription:"a duration such as 500ms, 30s or 1h30m" example:"10m" doc:"A run that no executor has accepted this long after it was due is skipped, at most 8760h. Defaults to never. Runs keep the value that their job had when they were created."`
	Deadline    Duration          `json:"deadline,omitzero" pattern:"^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$" patternDescription:"a duration such as 500ms, 30s or 1h30m" example:"2h" doc:"A run that has not ended this long after its first attempt is lost, whatever its executor reports, at most 8760h. Defaults to never."`
	Selector    map[string]string `json:"selector,omitempty" doc:"Labels that an executor must have, such as zone: eu: one of its features is zone=eu. At most 16."`
	KeepFor     Duration          `json:"keep_for,omitzero" pattern:"^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$" patternDescription:"a duration such as 500ms, 30s or 1h30m" example:"720h" doc:"How long a run is kept after its end. Defaults to the server's setting."`
	KeepRuns    int               `json:"keep_runs,omitempty" minimum:"0" maximum:"1000000" doc:"How many runs that are over are kept. Defaults to all that keep_for keeps."`
}

// fromDelivery returns the rules as the API shows them.
func fromDelivery(d job.Delivery) Delivery {
	return Delivery{
		Priority: d.Priority, ExpireAfter: Duration(d.ExpireAfter), Deadline: Duration(d.Deadline), Selector: d.Selector,
		KeepFor: Duration(d.KeepFor), KeepRuns: d.KeepRuns,
	}
}

// delivery is the reverse of fromDelivery.
func (d Delivery) delivery() job.Delivery {
	return job.Delivery{
		Priority: d.Priority, ExpireAfter: time.Duration(d.ExpireAfter), Deadline: time.Duration(d.Deadline), Selector: d.Selector,
		KeepFor: time.Duration(d.KeepFor), KeepRuns: d.KeepRuns,
	}
}
