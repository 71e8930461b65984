package overview

import (
	"context"
	"net/http"
	"runtime/pprof"
	"runtime/trace"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/job"
)

// profilesPath is where the profiles of the process are.
const profilesPath = "/debug/pprof/"

// The profiles that are taken over some time.
const (
	profileCPU   = "profile"
	profileTrace = "trace"
)

type profileAsked struct {
	Profile string `path:"profile" enum:"allocs,block,goroutine,heap,mutex,profile,threadcreate,trace" doc:"The profile: profile for the CPU, trace for the scheduler."`
	Seconds int    `query:"seconds" minimum:"1" maximum:"60" default:"10" doc:"How long profile and trace look."`
	Debug   int    `query:"debug" minimum:"0" maximum:"2" default:"0" doc:"0 for tools; 1 and 2 for people."`
}

func (s *overviewRoom) registerProfiles() {
	guard.Register(s.Guard, guard.Op{
		ID: "get-profile", Method: http.MethodGet, Path: profilesPath + "{profile}", Tags: []string{guard.TagServer},
		Right: access.Admin, Scope: guard.OnServer, Class: guard.Streaming,
		Summary: "Take a profile of the server's process",
		Description: "For go tool pprof and go tool trace. The server has to be started with --pprof. One profile or trace is " +
			"taken at a time.",
		Responses: map[string]*huma.Response{"200": {
			Description: "The profile.",
			Content:     map[string]*huma.MediaType{"application/octet-stream": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}},
		}},
	}, s.getProfile)
}

func (s *overviewRoom) getProfile(_ context.Context, in *profileAsked) (*huma.StreamResponse, error) {
	if !s.config.Profiles {
		off := job.Errorf(job.Conflict, "profiles are off")
		off.Hint = "start the server with --pprof"
		return nil, off
	}
	return &huma.StreamResponse{Body: func(hctx huma.Context) {
		r, w := humago.Unwrap(hctx)
		// A writer without a deadline has no limit either.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(time.Duration(in.Seconds)*time.Second + guard.StreamWrite))
		if err := takeProfile(r.Context(), w, in); err != nil {
			s.Refuse(hctx, "get-profile", err)
		}
	}}, nil
}

// takeProfile writes a profile. After an error nothing was written.
func takeProfile(ctx context.Context, w http.ResponseWriter, in *profileAsked) error {
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", `attachment; filename="`+in.Profile+`.pprof"`)
	var began error
	var end func()
	switch in.Profile {
	case profileCPU:
		began, end = pprof.StartCPUProfile(w), pprof.StopCPUProfile
	case profileTrace:
		began, end = trace.Start(w), trace.Stop
	default:
		if in.Debug > 0 {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.Header().Del("Content-Disposition")
		}
		_ = pprof.Lookup(in.Profile).WriteTo(w, in.Debug) // a reader that has gone reads nothing
		return nil
	}
	if began != nil {
		w.Header().Del("Content-Disposition")
		return job.Errorf(job.Conflict, "a profile or a trace is being taken already: try again later")
	}
	defer end()
	timer := time.NewTimer(time.Duration(in.Seconds) * time.Second)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return nil
}
