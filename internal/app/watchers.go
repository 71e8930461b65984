package app

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/orthd/orth/internal/lifecycle"
	"github.com/orthd/orth/internal/observe"
	"github.com/orthd/orth/job"
)

// listenForMetrics binds the second listener, when there is to be one.
func (s *Server) listenForMetrics() (err error) {
	if s.config.MetricsListen == "" {
		return nil
	}
	var listening net.ListenConfig
	if s.metrics, err = listening.Listen(context.Background(), "tcp", s.config.MetricsListen); err != nil {
		return job.Errorf(job.Conflict, "listen on %s: %w; choose another address with --metrics-listen", s.config.MetricsListen, err)
	}
	return nil
}

// closeListeners closes what was bound before a server that does not start.
func (s *Server) closeListeners() error {
	if s.metrics == nil {
		return s.listener.Close()
	}
	return errors.Join(s.listener.Close(), s.metrics.Close())
}

// MetricsAddress returns where the second listener is, empty when there is none.
func (s *Server) MetricsAddress() string {
	if s.metrics == nil {
		return ""
	}
	return s.metrics.Addr().String()
}

// metricsPart serves the figures to everybody who reaches the second listener.
func (s *Server) metricsPart() lifecycle.Part {
	server := &http.Server{
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second, MaxHeaderBytes: 16 << 10,
		Handler: observe.NewHandler(observe.Config{
			Prefix: prefix, Collect: s.samples, Meters: s.meters.all, Logger: s.config.Logger.With("room", "metrics"),
		}),
	}
	return lifecycle.Part{Name: "metrics", Run: lifecycle.Serve(server, s.metrics, time.Second)}
}
