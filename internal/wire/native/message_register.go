package native

import (
	"time"

	"github.com/orthd/orth/internal/wire/jsontext"
	"github.com/orthd/orth/internal/wire/post"
	"github.com/orthd/orth/job"
)

// maxEvery bounds the time between beats.
const maxEvery = time.Hour

// registration is an executor's description of itself at each beat.
type registration struct {
	// beat has the group, the address for push, the features and the life.
	beat      job.Beat
	transport string
	instance  string
	batch     int // the most tasks of a request; 0 when it is unknown
}

// appendRegistration appends the request. What is over the limits is left out;
// holds that are too many are not whole.
func appendRegistration(dst []byte, r registration) []byte {
	life := r.beat.Life
	dst = jsontext.AppendTextField(dst, `{"group":`, r.beat.Group)
	dst = jsontext.AppendTextField(dst, `,"transport":`, r.transport)
	dst = appendText(dst, `,"address":`, r.beat.Address)
	dst = appendText(dst, `,"instance":`, r.instance)
	dst = appendText(dst, `,"incarnation":`, life.Incarnation)
	dst = appendInstant(dst, `,"started_at":`, life.StartedAt)
	dst = appendDuration(dst, `,"every":`, life.Every)
	features := r.beat.Features[:min(len(r.beat.Features), job.MaxFeatures)]
	dst = appendItems(dst, `,"features":`, features, jsontext.AppendText)
	handlers := r.beat.Handlers[:min(len(r.beat.Handlers), job.MaxHandlers)]
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
	dst = appendNumber(dst, `,"batch":`, int64(r.batch))
	return append(dst, '}')
}

func appendLoad(dst []byte, key string, l job.Load) []byte {
	dst = jsontext.AppendIntField(append(dst, key...), `{"running":`, int64(l.Running))
	return append(jsontext.AppendIntField(dst, `,"waiting":`, int64(l.Waiting)), '}')
}

// decodeRegistration reads the request. Of an executor that pulls the address is
// made of its instance. Errors are Invalid.
func decodeRegistration(body []byte) (registration, error) {
	var r registration
	err := whole(body, func(s *scanner, name string) (err error) {
		life := &r.beat.Life
		switch name {
		case fieldGroup:
			r.beat.Group, err = s.Str()
		case "transport":
			r.transport, err = s.Str()
		case fieldAddress:
			r.beat.Address, err = s.Str()
		case "instance":
			r.instance, err = s.Str()
		case "incarnation":
			life.Incarnation, err = s.Str()
		case "started_at":
			life.StartedAt, err = s.Instant(name)
		case "every":
			life.Every, err = s.duration(name)
		case "features":
			r.beat.Features, err = list(s, name, job.MaxFeatures, s.Str)
			if r.beat.Features == nil {
				r.beat.Features = []string{}
			}
		case "handlers":
			r.beat.Handlers, err = list(s, name, job.MaxHandlers, s.Str)
		case "load":
			life.Load, err = s.load()
		case "holds":
			life.Holds, err = s.ids(name, job.MaxHolds)
		case "whole":
			life.Whole, err = s.Boolean(name)
		case "draining":
			life.Draining, err = s.Boolean(name)
		case "batch":
			r.batch, err = s.count(name)
		default:
			err = s.Skip()
		}
		return err
	})
	if err != nil {
		return registration{}, err
	}
	if err := r.check(); err != nil {
		return registration{}, err
	}
	return r, nil
}

// check reports what is wrong with an executor's description, and completes it.
func (r *registration) check() error {
	life := &r.beat.Life
	switch {
	case job.CheckGroup("group", r.beat.Group) != nil:
		return job.CheckGroup("group", r.beat.Group)
	case !goodInstance(r.instance):
		return job.Errorf(job.Invalid, "instance must be %d hexadecimal digits in lower case", instanceDigits)
	case life.Incarnation == "" || len(life.Incarnation) > job.MaxIncarnation:
		return job.Errorf(job.Invalid, "incarnation must have 1 to %d bytes", job.MaxIncarnation)
	}
	life.Every, life.Instance = min(life.Every, maxEvery), r.instance
	r.beat.Dialect = job.DialectNative
	switch r.transport {
	case transportPush:
		if _, err := post.ParseAddress(r.beat.Address); err != nil {
			return job.Errorf(job.Invalid, "address: %w", err)
		}
	case transportPull:
		r.beat.Address = PullAddress(r.beat.Group, r.instance)
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

// registered is what a server answers to a beat.
type registered struct {
	address string // by which the server knows the executor
	lease   time.Duration
	at      time.Time // the server's clock
	server  string    // its version
}

func appendRegistered(dst []byte, r registered) []byte {
	dst = jsontext.AppendTextField(dst, `{"address":`, r.address)
	dst = appendDuration(dst, `,"lease":`, r.lease)
	dst = appendInstant(dst, `,"time":`, r.at)
	return append(appendText(dst, `,"server":`, r.server), '}')
}

// decodeRegistered reads the answer. Errors are Invalid.
func decodeRegistered(body []byte) (registered, error) {
	var r registered
	err := whole(body, func(s *scanner, name string) (err error) {
		switch name {
		case fieldAddress:
			r.address, err = s.Str()
		case "lease":
			r.lease, err = s.duration(name)
		case "time":
			r.at, err = s.Instant(name)
		case fieldServer:
			r.server, err = s.Str()
		default:
			err = s.Skip()
		}
		return err
	})
	return r, err
}

// farewell is the message of an executor that leaves.
type farewell struct{ group, address string }

func appendFarewell(dst []byte, f farewell) []byte {
	dst = jsontext.AppendTextField(dst, `{"group":`, f.group)
	return append(jsontext.AppendTextField(dst, `,"address":`, f.address), '}')
}

// decodeFarewell reads the request. Errors are Invalid.
func decodeFarewell(body []byte) (farewell, error) {
	var f farewell
	err := whole(body, func(s *scanner, name string) (err error) {
		switch name {
		case fieldGroup:
			f.group, err = s.Str()
		case fieldAddress:
			f.address, err = s.Str()
		default:
			err = s.Skip()
		}
		return err
	})
	switch {
	case err != nil:
		return farewell{}, err
	case f.group == "":
		return farewell{}, missing(fieldGroup)
	case f.address == "":
		return farewell{}, missing(fieldAddress)
	}
	return f, nil
}
