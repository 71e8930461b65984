package message

import (
	"time"

	"github.com/orthd/orth/internal/wire/jsontext"
	"github.com/orthd/orth/internal/wire/post"
	"github.com/orthd/orth/job"
)

// maxEvery bounds the time between beats.
const maxEvery = time.Hour

// Registration is an executor's description of itself at each beat.
type Registration struct {
	// Beat has the group, the address for push, the features and the life.
	Beat      job.Beat
	Transport string
	Instance  string
	Batch     int // the most tasks of a request; 0 when it is unknown
}

// AppendRegistration appends the request. What is over the limits is left out;
// holds that are too many are not whole.
func AppendRegistration(dst []byte, r Registration) []byte {
	life := r.Beat.Life
	dst = jsontext.AppendTextField(dst, `{"group":`, r.Beat.Group)
	dst = jsontext.AppendTextField(dst, `,"transport":`, r.Transport)
	dst = appendText(dst, `,"address":`, r.Beat.Address)
	dst = appendText(dst, `,"instance":`, r.Instance)
	dst = appendText(dst, `,"incarnation":`, life.Incarnation)
	dst = appendInstant(dst, `,"started_at":`, life.StartedAt)
	dst = appendDuration(dst, `,"every":`, life.Every)
	features := r.Beat.Features[:min(len(r.Beat.Features), job.MaxFeatures)]
	dst = appendItems(dst, `,"features":`, features, jsontext.AppendText)
	handlers := r.Beat.Handlers[:min(len(r.Beat.Handlers), job.MaxHandlers)]
	dst = appendItems(dst, `,"handlers":`, handlers, jsontext.AppendText)
	if life.Load != nil {
		dst = appendLoad(dst, `,"load":`, *life.Load)
	}
	kept := life.Holds[:min(len(life.Holds), job.MaxHolds)]
	if life.Whole || len(kept) > 0 {
		dst = appendIDs(dst, `,"holds":`, kept)
		dst = appendTruth(dst, `,"whole":`, life.Whole && len(kept) == len(life.Holds))
	}
	dst = appendTruth(dst, `,"draining":`, life.Draining)
	dst = appendNumber(dst, `,"batch":`, int64(r.Batch))
	return append(dst, '}')
}

func appendLoad(dst []byte, key string, l job.Load) []byte {
	dst = jsontext.AppendIntField(append(dst, key...), `{"running":`, int64(l.Running))
	return append(jsontext.AppendIntField(dst, `,"waiting":`, int64(l.Waiting)), '}')
}

// DecodeRegistration reads the request. Of an executor that pulls the address is
// made of its instance. Errors are Invalid.
func DecodeRegistration(body []byte) (Registration, error) {
	var r Registration
	err := whole(body, func(s *scanner, name string) (err error) {
		life := &r.Beat.Life
		switch name {
		case fieldGroup:
			r.Beat.Group, err = s.Str()
		case "transport":
			r.Transport, err = s.Str()
		case fieldAddress:
			r.Beat.Address, err = s.Str()
		case "instance":
			r.Instance, err = s.Str()
		case "incarnation":
			life.Incarnation, err = s.Str()
		case "started_at":
			life.StartedAt, err = s.Instant(name)
		case "every":
			life.Every, err = s.duration(name)
		case "features":
			r.Beat.Features, err = list(s, name, job.MaxFeatures, s.Str)
			if r.Beat.Features == nil {
				r.Beat.Features = []string{}
			}
		case "handlers":
			r.Beat.Handlers, err = list(s, name, job.MaxHandlers, s.Str)
		case "load":
			life.Load, err = s.load()
		case "holds":
			life.Holds, err = s.ids(name, job.MaxHolds)
		case "whole":
			life.Whole, err = s.Boolean(name)
		case "draining":
			life.Draining, err = s.Boolean(name)
		case "batch":
			r.Batch, err = s.count(name)
		default:
			err = s.Skip()
		}
		return err
	})
	if err != nil {
		return Registration{}, err
	}
	if err := r.check(); err != nil {
		return Registration{}, err
	}
	return r, nil
}

// check reports what is wrong with an executor's description, and completes it.
func (r *Registration) check() error {
	life := &r.Beat.Life
	switch {
	case job.CheckGroup("group", r.Beat.Group) != nil:
		return job.CheckGroup("group", r.Beat.Group)
	case !GoodInstance(r.Instance):
		return job.Errorf(job.Invalid, "instance must be %d hexadecimal digits in lower case", InstanceDigits)
	case life.Incarnation == "" || len(life.Incarnation) > job.MaxIncarnation:
		return job.Errorf(job.Invalid, "incarnation must have 1 to %d bytes", job.MaxIncarnation)
	}
	life.Every, life.Instance = min(life.Every, maxEvery), r.Instance
	r.Beat.Dialect = job.DialectNative
	switch r.Transport {
	case TransportPush:
		if _, err := post.ParseAddress(r.Beat.Address); err != nil {
			return job.Errorf(job.Invalid, "address: %w", err)
		}
	case TransportPull:
		r.Beat.Address = PullAddress(r.Beat.Group, r.Instance)
	default:
		return job.Errorf(job.Invalid, "transport must be push or pull")
	}
	return nil
}

func (s *scanner) load() (*job.Load, error) {
	if s.Peek() == 'n' {
		return nil, s.Skip()
	}
	l := new(job.Load)
	err := s.object(func(name string) (err error) {
		switch name {
		case "running":
			l.Running, err = s.count(name)
		case "waiting":
			l.Waiting, err = s.count(name)
		default:
			err = s.Skip()
		}
		return err
	})
	return l, err
}

// Registered is what a server answers to a beat.
type Registered struct {
	Address string // by which the server knows the executor
	Lease   time.Duration
	At      time.Time // the server's clock
	Server  string    // its version
}

// AppendRegistered writes what a server answers to a registration.
func AppendRegistered(dst []byte, r Registered) []byte {
	dst = jsontext.AppendTextField(dst, `{"address":`, r.Address)
	dst = appendDuration(dst, `,"lease":`, r.Lease)
	dst = appendInstant(dst, `,"time":`, r.At)
	return append(appendText(dst, `,"server":`, r.Server), '}')
}

// DecodeRegistered reads the answer. Errors are Invalid.
func DecodeRegistered(body []byte) (Registered, error) {
	var r Registered
	err := whole(body, func(s *scanner, name string) (err error) {
		switch name {
		case fieldAddress:
			r.Address, err = s.Str()
		case "lease":
			r.Lease, err = s.duration(name)
		case "time":
			r.At, err = s.Instant(name)
		case fieldServer:
			r.Server, err = s.Str()
		default:
			err = s.Skip()
		}
		return err
	})
	return r, err
}

// Farewell is the message of an executor that leaves.
type Farewell struct{ Group, Address string }

// AppendFarewell writes that an executor ends.
func AppendFarewell(dst []byte, f Farewell) []byte {
	dst = jsontext.AppendTextField(dst, `{"group":`, f.Group)
	return append(jsontext.AppendTextField(dst, `,"address":`, f.Address), '}')
}

// DecodeFarewell reads the request. Errors are Invalid.
func DecodeFarewell(body []byte) (Farewell, error) {
	var f Farewell
	err := whole(body, func(s *scanner, name string) (err error) {
		switch name {
		case fieldGroup:
			f.Group, err = s.Str()
		case fieldAddress:
			f.Address, err = s.Str()
		default:
			err = s.Skip()
		}
		return err
	})
	switch {
	case err != nil:
		return Farewell{}, err
	case f.Group == "":
		return Farewell{}, missing(fieldGroup)
	case f.Address == "":
		return Farewell{}, missing(fieldAddress)
	}
	return f, nil
}
