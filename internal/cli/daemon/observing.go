package daemon

import (
	"context"
	"log/slog"

	"github.com/spf13/pflag"

	"github.com/orthd/orth/executor"
	"github.com/orthd/orth/internal/app"
	"github.com/orthd/orth/internal/lifecycle"
	"github.com/orthd/orth/internal/trace"
)

// serverWatching holds the observability settings of a server.
type serverWatching struct {
	MetricsListen string  `koanf:"metrics-listen"`
	Pprof         bool    `koanf:"pprof"`
	OTLPEndpoint  string  `koanf:"otlp-endpoint"`
	TraceRatio    float64 `koanf:"trace-ratio"`
	AuditFile     string  `koanf:"audit-file"`
}

// serverWatchingFlags defines their flags.
func serverWatchingFlags(f *pflag.FlagSet) {
	f.String("metrics-listen", "", "`host:port` that serves /metrics without authentication (default none: /metrics of --listen, with a token)")
	f.Bool("pprof", false, "serve profiles to administrators at /api/v1/debug/pprof/")
	f.String("audit-file", "", "JSON-lines `file` to which audit entries are also appended; created again after rotation")
	otlpFlag(f)
	f.Float64("trace-ratio", 0.01, "fraction of runs to trace, 0 to 1, when a collector is configured")
}

func otlpFlag(f *pflag.FlagSet) {
	f.String("otlp-endpoint", "", "`URL` of an OTLP/HTTP trace collector, such as http://127.0.0.1:4318 (default OTEL_EXPORTER_OTLP_ENDPOINT)")
}

// into applies the settings to the configuration of a server.
func (s *serverWatching) into(c *app.Config) {
	c.MetricsListen, c.Profiles, c.AuditFile = s.MetricsListen, s.Pprof, s.AuditFile
	c.Tracing = app.Tracing{Endpoint: s.OTLPEndpoint, Ratio: s.TraceRatio}
}

// traced enables tracing of an executor when a collector is configured. The returned part
// exports the spans; without a collector there is none.
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
