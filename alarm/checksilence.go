package alarm

import (
	"errors"
	"strings"

	"github.com/orthd/orth/job"
)

// Check returns an error that names the invalid field of a silence.
func (s *Silence) Check() error {
	if err := firstOf(
		job.CheckKey("namespace", s.Namespace),
		checkText("comment", s.Comment, MaxTitle),
		checkKinds("kinds", s.Kinds, 0),
		s.Scope.check(),
	); err != nil {
		return err
	}
	if len(s.Rules) > MaxScope {
		return job.FieldErrorf("rules", "are %d, at most %d are allowed", len(s.Rules), MaxScope)
	}
	for _, key := range s.Rules {
		if err := job.CheckKey("rules", key); err != nil {
			return err
		}
	}
	switch {
	case s.Comment == "":
		return job.FieldErrorf("comment", "is missing: give the reason for the silence")
	case s.From.IsZero():
		return job.FieldErrorf("from", "is missing")
	case !s.Until.IsZero() && !s.Until.After(s.From):
		return job.FieldErrorf("until", "is not after from")
	}
	return s.checkWindow()
}

// checkWindow checks the maintenance windows between From and Until.
func (s *Silence) checkWindow() error {
	switch {
	case s.Cron != "":
	case s.Until.IsZero():
		return job.FieldErrorf("until", "is missing: only a maintenance window (with cron) may have no end")
	case s.Zone != "" || s.Length != 0:
		return job.FieldErrorf("cron", "is missing: zone and length require a maintenance window")
	}
	_, err := s.pause().Compile()
	wrong, ok := errors.AsType[*job.Error](err)
	if !ok {
		return err
	}
	said := *wrong
	if inner, window := strings.CutPrefix(wrong.Field, "window."); window {
		said.Field = inner
		if inner == "for" {
			said.Field = "length"
		}
	}
	said.Message = strings.ReplaceAll(said.Message, "the pause", "the silence")
	return &said
}

// pause returns the pause with the same windows, to reuse its clock.
func (s *Silence) pause() *job.Pause {
	p := &job.Pause{Key: "silence", From: s.From, Until: s.Until}
	if s.Cron != "" {
		p.Window = &job.Window{Cron: s.Cron, Zone: s.Zone, For: s.Length}
	}
	return p
}
