package native

import (
	"bytes"
	"flag"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/orthd/orth/internal/wire/native/message"
	"github.com/orthd/orth/internal/wire/native/signing"
	"github.com/orthd/orth/job"
)

var update = flag.Bool("update", false, "rewrite the messages in testdata")

const (
	testToken        = "a token that both sides know"
	instanceForTests = "5f0c1122334455667788990a"
)

// signedRequestTo returns a request as a caller with that token signs it now.
func signedRequestTo(token, name, to string, body []byte) *http.Request {
	fields, _ := signing.NewSigner(token).Sign(name, to, body, time.Now())
	r := httptest.NewRequest(http.MethodPost, message.PathPrefix+name, bytes.NewReader(body))
	fields.AddTo(r.Header)
	return r
}

// fullTask is a task with all fields, plainTask one with as few as allowed.
func fullTask() job.Task {
	t := plainTask(17)
	t.RunID, t.Try, t.Param = 9, 2, "x=1\u2028<&>"
	t.Handler = job.Handler{Kind: job.HandlerShell, Name: "pay", Source: "echo \"hi\"\n", SourceAt: job.FromMillis(1795227154000)}
	t.Labels, t.Overlap, t.Concurrency = map[string]string{"zone": "eu", "a": "\x01"}, job.OverlapConcurrent, 4
	t.Timeout, t.PlannedAt = 1500*time.Millisecond, job.FromMillis(1795227154002)
	t.ShardIndex, t.ShardTotal, t.OnCrash = 1, 3, job.CrashRerun
	return t
}

func plainTask(attempt int64) job.Task {
	return job.Task{
		AttemptID: attempt, JobID: 3, Handler: job.Handler{Kind: job.HandlerNamed, Name: "pay"}, Overlap: job.OverlapSerial,
		TriggeredAt: job.FromMillis(1795227154001), ShardTotal: 1,
	}
}

// tasksOf is a request with tasks whose logs have no follower.
func tasksOf(tasks ...job.Task) message.TasksRequest {
	var r message.TasksRequest
	for _, t := range tasks {
		r.Tasks = append(r.Tasks, message.Arrival{Task: t})
	}
	return r
}
