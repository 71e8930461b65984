package explain

import (
	"testing"

	"github.com/orthd/orth/job"
)

func TestRunThatIsStopping(t *testing.T) {
	t.Parallel()
	s := firing(job.Stopping)
	s.Attempts[0].State = job.Running
	s.Run.Reason = "wrong day"
	s.Run.Message = "executor http://10.0.0.1:9999 was told to end it; its report is awaited"
	e := Run(s, now)
	want := "Run 12 of job report is being ended: wrong day. It was sent to http://10.0.0.1:9999 11h30m ago, and is over when that says so: " +
		"executor http://10.0.0.1:9999 was told to end it; its report is awaited."
	if e.Answer != want {
		t.Errorf("answer\n%s\nwant\n%s", e.Answer, want)
	}
	golden(t, "run-stopping", e)
}
