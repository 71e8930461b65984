package native

import (
	"bytes"
	"time"

	"github.com/orthd/orth/internal/wire/jsontext"
	"github.com/orthd/orth/job"
)

// pullRequest is how an executor asks for something to do.
type pullRequest struct {
	group       string
	instance    string
	incarnation string
	wait        time.Duration
	room        int // how many tasks it takes now

	// received is the last command of the last answer with commands that came from this
	// server, 0 for none; tells is whether the executor reports it at all.
	received int64
	tells    bool
}

func appendPull(dst []byte, p pullRequest) []byte {
	dst = jsontext.AppendTextField(dst, `{"group":`, p.group)
	dst = jsontext.AppendTextField(dst, `,"instance":`, p.instance)
	dst = appendText(dst, `,"incarnation":`, p.incarnation)
	dst = appendDuration(dst, `,"wait":`, p.wait)
	dst = appendNumber(dst, `,"room":`, int64(p.room))
	if p.tells {
		dst = jsontext.AppendIntField(dst, `,"received":`, p.received)
	}
	return append(dst, '}')
}

// decodePull reads the request. Errors are Invalid.
func decodePull(body []byte) (pullRequest, error) {
	var p pullRequest
	err := whole(body, func(s *scanner, name string) (err error) {
		switch name {
		case fieldGroup:
			p.group, err = s.Str()
		case "instance":
			p.instance, err = s.Str()
		case "incarnation":
			p.incarnation, err = s.Str()
		case "wait":
			p.wait, err = s.duration(name)
		case "room":
			p.room, err = s.count(name)
		case "received":
			p.tells = true
			p.received, err = s.id(name)
		default:
			err = s.Skip()
		}
		return err
	})
	if err != nil {
		return pullRequest{}, err
	}
	p.wait = min(p.wait, maxWait)
	p.room = min(p.room, maxTasks)
	if len(p.incarnation) > job.MaxIncarnation {
		return pullRequest{}, job.Errorf(job.Invalid, "incarnation has more than %d bytes", job.MaxIncarnation)
	}
	return p, checkPuller(p.group, p.instance)
}

func checkPuller(group, instance string) error {
	if err := job.CheckGroup("group", group); err != nil {
		return err
	}
	if !goodInstance(instance) {
		return job.Errorf(job.Invalid, "instance must be %d hexadecimal digits in lower case", instanceDigits)
	}
	return nil
}

// command is a request to an executor that pulls.
type command struct {
	id   int64
	name string
	body []byte // JSON
	// within is how long the server waits for the answer, counted from the answer to the
	// pull; 0 when it is unknown.
	within time.Duration
}

// pulled is the answer to a pull.
type pulled struct {
	commands []command
	// waited is how long the pull was at the server.
	waited time.Duration
}

// appendCommands appends the answer to a pull.
func appendCommands(dst []byte, c pulled) []byte {
	dst = append(dst, '{')
	if ms := c.waited.Milliseconds(); ms > 0 {
		dst = append(jsontext.AppendIntField(dst, `"waited":`, ms), ',')
	}
	return append(appendItems(dst, `"commands":`, c.commands, func(dst []byte, c command) []byte {
		dst = jsontext.AppendIntField(dst, `{"id":`, c.id)
		dst = jsontext.AppendTextField(dst, `,"name":`, c.name)
		dst = appendDuration(dst, `,"within":`, c.within)
		return append(append(append(dst, `,"body":`...), c.body...), '}')
	}), '}')
}

// decodeCommands reads the answer. Errors are Invalid. The commands share no
// memory with body.
func decodeCommands(body []byte) (pulled, error) {
	var c pulled
	err := whole(body, func(s *scanner, name string) (err error) {
		switch name {
		case "waited":
			c.waited, err = s.duration(name)
		case "commands":
			c.commands, err = list(s, name, maxCommands, s.command)
		default:
			err = s.Skip()
		}
		return err
	})
	return c, err
}

func (s *scanner) command() (command, error) {
	var c command
	err := s.object(func(name string) (err error) {
		switch name {
		case "id":
			c.id, err = s.id(name)
		case "name":
			c.name, err = s.Str()
		case "within":
			c.within, err = s.duration(name)
		case "body":
			c.body, err = s.json()
		default:
			err = s.Skip()
		}
		return err
	})
	if err == nil && c.id == 0 {
		err = missing("id")
	}
	if len(c.body) == 0 {
		c.body = []byte(nothing)
	}
	return c, err
}

// json consumes any value and returns a copy of its text.
func (s *scanner) json() ([]byte, error) {
	raw, err := s.Raw()
	return bytes.Clone(raw), err
}

// commandAnswer is what an executor that pulls answers to a command.
type commandAnswer struct {
	id     int64
	status int
	body   []byte // JSON
}

// answersRequest is how it brings its answers.
type answersRequest struct {
	group    string
	instance string
	answers  []commandAnswer
}

func appendAnswers(dst []byte, a answersRequest) []byte {
	dst = jsontext.AppendTextField(dst, `{"group":`, a.group)
	dst = jsontext.AppendTextField(dst, `,"instance":`, a.instance)
	return append(appendItems(dst, `,"answers":`, a.answers, func(dst []byte, c commandAnswer) []byte {
		dst = jsontext.AppendIntField(dst, `{"id":`, c.id)
		dst = jsontext.AppendIntField(dst, `,"status":`, int64(c.status))
		return append(append(append(dst, `,"body":`...), c.body...), '}')
	}), '}')
}

// decodeAnswers reads the request. Errors are Invalid. The answers share no memory
// with body.
func decodeAnswers(body []byte) (answersRequest, error) {
	var a answersRequest
	err := whole(body, func(s *scanner, name string) (err error) {
		switch name {
		case fieldGroup:
			a.group, err = s.Str()
		case "instance":
			a.instance, err = s.Str()
		case "answers":
			a.answers, err = list(s, name, maxAnswers, s.commandAnswer)
		default:
			err = s.Skip()
		}
		return err
	})
	if err != nil {
		return answersRequest{}, err
	}
	return a, checkPuller(a.group, a.instance)
}

func (s *scanner) commandAnswer() (commandAnswer, error) {
	var c commandAnswer
	err := s.object(func(name string) (err error) {
		switch name {
		case "id":
			c.id, err = s.id(name)
		case "status":
			c.status, err = s.count(name)
		case "body":
			c.body, err = s.json()
		default:
			err = s.Skip()
		}
		return err
	})
	if err == nil && c.id == 0 {
		err = missing("id")
	}
	if len(c.body) == 0 {
		c.body = []byte(nothing)
	}
	return c, err
}
