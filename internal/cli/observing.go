package cli

import (
	"context"
	"log/slog"

	"github.com/spf13/pflag"

	"github.com/orthd/orth/executor"
	"github.com/orthd/orth/internal/app"
	"github.com/orthd/orth/internal/lifecycle"
	"github.com/orthd/orth/internal/trace"
)

// serverWatching are the settings of a server for those who watch over it.
type serverWatching struct {
	MetricsListen string  `koanf:"metrics-listen"`
	Pprof         bool    `koanf:"pprof"`
	OTLPEndpoint  string  `koanf:"otlp-endpoint"`
	TraceRatio    float64 `koanf:"trace-ratio"`
	AuditFile     string  `koanf:"audit-file"`
}

// serverWatchingFlags add them.
func serverWatchingFlags(f *pflag.FlagSet) {
	f.String("metrics-listen", "", "`host:port` that shows /metrics to everybody who reaches it (default none: at /metrics of --listen, with a token)")
	f.Bool("pprof", false, "let administrators take profiles of the process at /api/v1/debug/pprof/")
	f.String("audit-file", "", "`file` that each line of the audit is appended to as well, as JSON; it is made anew when it was moved away")
	otlpFlag(f)
	f.Float64("trace-ratio", 0.01, "how many of all runs are traced, from 0 to 1, when there is a collector")
}

func otlpFlag(f *pflag.FlagSet) {
	f.String("otlp-endpoint", "", "`URL` of a collector for traces by OTLP over HTTP, such as http://127.0.0.1:4318 (default OTEL_EXPORTER_OTLP_ENDPOINT)")
}

// into fills in the configuration of a server.
func (s *serverWatching) into(c *app.Config) {
	c.MetricsListen, c.Profiles, c.AuditFile = s.MetricsListen, s.Pprof, s.AuditFile
	c.Tracing = app.Tracing{Endpoint: s.OTLPEndpoint, Ratio: s.TraceRatio}
}

// traced makes an executor trace what its servers trace, when there is a collector. The
// part brings the spans away; there is none without a collector.
func traced(c *executor.Config, endpoint string, logger *slog.Logger) ([]lifecycle.Part, error) {
	if !trace.Configured(endpoint) {
		return nil, nil
	}
	tracer, err := trace.New(context.Background(), trace.Config{
		Endpoint: endpoint, Service: "orth-executor", Logger: logger.With("room", "trace"),
	})
	if err != nil {
		return nil, err
	}
	c.Around = tracer.Handling
	return []lifecycle.Part{{Name: "trace", Run: tracer.Run}}, nil
}
