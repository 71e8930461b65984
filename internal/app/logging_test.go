package app

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/executor"
	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

func TestKeptLogsAreChecked(t *testing.T) {
	t.Parallel()
	for field, c := range map[string]Config{
		"keep-logs-for": {KeepLogs: time.Second},
		"log-max-bytes": {LogMaxBytes: 10},
		"log-max-total": {LogMaxTotal: 1 << 20},
	} {
		c.Data, c.Listen = t.TempDir(), "127.0.0.1:0"
		if _, err := New(c); !job.Is(err, job.Invalid) || !strings.Contains(fmt.Sprint(err), field) {
			t.Errorf("%s: %v", field, err)
		}
	}
	var c Config
	c.defaults()
	if c.KeepLogs != 30*24*time.Hour || c.LogMaxBytes != 64<<20 || c.LogMaxTotal != 20<<30 {
		t.Errorf("by default logs are kept for %s, %d bytes of each, %d of all", c.KeepLogs, c.LogMaxBytes, c.LogMaxTotal)
	}
}

// TestLogsOutliveTheirExecutor: of whatever protocol, an executor can go with its
// folder, and the logs of its runs are there.
func TestLogsOutliveTheirExecutor(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]executor.Config{
		"xxl":         {Dialect: "xxl-job", Listen: "127.0.0.1:0"},
		"native":      {Dialect: "native", Listen: "127.0.0.1:0"},
		"native pull": {Pull: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := begin(t)
			c.Servers, c.Token, c.Group, c.Data = []string{s.URL()}, s.ExecutorToken().Reveal(), "g", t.TempDir()
			c.Beat, c.Logger = time.Second, slog.New(slog.DiscardHandler)
			e, err := executor.New(c)
			if err != nil {
				t.Fatal(err)
			}
			var want strings.Builder
			for i := range 500 {
				fmt.Fprintf(&want, "line %d\n", i)
			}
			e.Handle("hello", handler.Func(func(_ context.Context, task *handler.Task) error {
				_, err := task.Output().Write([]byte(want.String()))
				return err
			}))
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- e.Run(ctx) }()
			until(t, "the executor is there", func() bool {
				all, err := s.Jobs().Executors(t.Context())
				return err == nil && len(all) == 1
			})
			create(t, s.Jobs(), "talk", schedule.Spec{Kind: schedule.KindManual})
			r := trigger(t, s.Jobs(), "talk", "")
			until(t, "the log is whole", func() bool {
				now, err := s.Jobs().Run(t.Context(), r.ID)
				if err != nil || !now.State.Final() {
					return false
				}
				logs, err := s.store.Logs(t.Context(), []int64{now.AttemptID})
				return err == nil && len(logs) == 1 && logs[0].State == logbook.Whole
			})
			stop()
			if err := <-ended; err != nil {
				t.Fatal(err)
			}
			if err := os.RemoveAll(c.Data); err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for from := 1; ; {
				page, err := s.Queries().Log(t.Context(), r.ID, queries.LogQuery{From: from})
				if err != nil {
					t.Fatal(err)
				}
				got.WriteString(page.Text)
				if from = page.To + 1; page.End {
					break
				}
			}
			if !strings.Contains(got.String(), want.String()) {
				t.Errorf("the log has %d bytes, want %d lines among them: %.300q", got.Len(), 500, got.String())
			}
		})
	}
}
