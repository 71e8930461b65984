package message

import (
	"bytes"
	"time"

	"github.com/orthd/orth/internal/wire/jsontext"
	"github.com/orthd/orth/job"
)

// PullRequest is how an executor asks for something to do.
type PullRequest struct {
	Group       string
	Instance    string
	Incarnation string
	Wait        time.Duration
	Room        int // how many tasks it takes now

	// Received is the last command of the last answer with commands that came from this
	// server, 0 for none; tells is whether the executor reports it at all.
	Received int64
	Tells    bool
}

// AppendPull writes a request for commands.
func AppendPull(dst []byte, p PullRequest) []byte {
	dst = jsontext.AppendTextField(dst, `{"group":`, p.Group)
	dst = jsontext.AppendTextField(dst, `,"instance":`, p.Instance)
	dst = appendText(dst, `,"incarnation":`, p.Incarnation)
	dst = appendDuration(dst, `,"wait":`, p.Wait)
	dst = appendNumber(dst, `,"room":`, int64(p.Room))
	if p.Tells {
		dst = jsontext.AppendIntField(dst, `,"received":`, p.Received)
	}
	return append(dst, '}')
}

// DecodePull reads the request. Errors are Invalid.
func DecodePull(body []byte) (PullRequest, error) {
	var p PullRequest
	err := whole(body, func(s *scanner, name string) (err error) {
		switch name {
		case fieldGroup:
			p.Group, err = s.Str()
		case "instance":
			p.Instance, err = s.Str()
		case "incarnation":
			p.Incarnation, err = s.Str()
		case "wait":
			p.Wait, err = s.duration(name)
		case "room":
			p.Room, err = s.count(name)
		case "received":
			p.Tells = true
			p.Received, err = s.id(name)
		default:
			err = s.Skip()
		}
		return err
	})
	if err != nil {
		return PullRequest{}, err
	}
	p.Wait = min(p.Wait, MaxWait)
	p.Room = min(p.Room, MaxTasks)
	if len(p.Incarnation) > job.MaxIncarnation {
		return PullRequest{}, job.Errorf(job.Invalid, "incarnation has more than %d bytes", job.MaxIncarnation)
	}
	return p, CheckPuller(p.Group, p.Instance)
}

// CheckPuller checks which executor pulls. Errors are Invalid.
func CheckPuller(group, instance string) error {
	if err := job.CheckGroup("group", group); err != nil {
		return err
	}
	if !GoodInstance(instance) {
		return job.Errorf(job.Invalid, "instance must be %d hexadecimal digits in lower case", InstanceDigits)
	}
	return nil
}

// Command is a request to an executor that pulls.
type Command struct {
	ID   int64
	Name string
	Body []byte // JSON
	// Within is how long the server waits for the answer, counted from the answer to the
	// pull; 0 when it is unknown.
	Within time.Duration
	// Held is how long the command has waited at the server for a pull.
	Held time.Duration
}

// Pulled is the answer to a pull.
type Pulled struct {
	Commands []Command
	// Waited is how long the pull was at the server.
	Waited time.Duration
}

// AppendCommands appends the answer to a pull.
func AppendCommands(dst []byte, c Pulled) []byte {
	dst = append(dst, '{')
	if ms := c.Waited.Milliseconds(); ms > 0 {
		dst = append(jsontext.AppendIntField(dst, `"waited":`, ms), ',')
	}
	return append(appendItems(dst, `"commands":`, c.Commands, func(dst []byte, c Command) []byte {
		dst = jsontext.AppendIntField(dst, `{"id":`, c.ID)
		dst = jsontext.AppendTextField(dst, `,"name":`, c.Name)
		dst = appendDuration(dst, `,"within":`, c.Within)
		dst = appendNumber(dst, `,"held":`, max(c.Held, 0).Microseconds())
		return append(append(append(dst, `,"body":`...), c.Body...), '}')
	}), '}')
}

// DecodeCommands reads the answer. Errors are Invalid. The commands share no
// memory with body.
func DecodeCommands(body []byte) (Pulled, error) {
	var c Pulled
	err := whole(body, func(s *scanner, name string) (err error) {
		switch name {
		case "waited":
			c.Waited, err = s.duration(name)
		case "commands":
			c.Commands, err = list(s, name, MaxCommands, s.command)
		default:
			err = s.Skip()
		}
		return err
	})
	return c, err
}

func (s *scanner) command() (Command, error) {
	var c Command
	err := s.object(func(name string) (err error) {
		switch name {
		case "id":
			c.ID, err = s.id(name)
		case "name":
			c.Name, err = s.Str()
		case "within":
			c.Within, err = s.duration(name)
		case "held":
			var held int
			held, err = s.count(name)
			c.Held = time.Duration(held) * time.Microsecond
		case "body":
			c.Body, err = s.json()
		default:
			err = s.Skip()
		}
		return err
	})
	if err == nil && c.ID == 0 {
		err = missing("id")
	}
	if len(c.Body) == 0 {
		c.Body = []byte(EmptyAnswer)
	}
	return c, err
}

// json consumes any value and returns a copy of its text.
func (s *scanner) json() ([]byte, error) {
	raw, err := s.Raw()
	return bytes.Clone(raw), err
}

// CommandAnswer is what an executor that pulls answers to a command.
type CommandAnswer struct {
	ID     int64
	Status int
	Body   []byte // JSON
}

// AnswersRequest is how it brings its answers.
type AnswersRequest struct {
	Group    string
	Instance string
	Answers  []CommandAnswer
}

// AppendAnswers writes the answers to commands.
func AppendAnswers(dst []byte, a AnswersRequest) []byte {
	dst = jsontext.AppendTextField(dst, `{"group":`, a.Group)
	dst = jsontext.AppendTextField(dst, `,"instance":`, a.Instance)
	return append(appendItems(dst, `,"answers":`, a.Answers, func(dst []byte, c CommandAnswer) []byte {
		dst = jsontext.AppendIntField(dst, `{"id":`, c.ID)
		dst = jsontext.AppendIntField(dst, `,"status":`, int64(c.Status))
		return append(append(append(dst, `,"body":`...), c.Body...), '}')
	}), '}')
}

// DecodeAnswers reads the request. Errors are Invalid. The answers share no memory
// with body.
func DecodeAnswers(body []byte) (AnswersRequest, error) {
	var a AnswersRequest
	err := whole(body, func(s *scanner, name string) (err error) {
		switch name {
		case fieldGroup:
			a.Group, err = s.Str()
		case "instance":
			a.Instance, err = s.Str()
		case "answers":
			a.Answers, err = list(s, name, MaxAnswers, s.commandAnswer)
		default:
			err = s.Skip()
		}
		return err
	})
	if err != nil {
		return AnswersRequest{}, err
	}
	return a, CheckPuller(a.Group, a.Instance)
}

func (s *scanner) commandAnswer() (CommandAnswer, error) {
	var c CommandAnswer
	err := s.object(func(name string) (err error) {
		switch name {
		case "id":
			c.ID, err = s.id(name)
		case "status":
			c.Status, err = s.count(name)
		case "body":
			c.Body, err = s.json()
		default:
			err = s.Skip()
		}
		return err
	})
	if err == nil && c.ID == 0 {
		err = missing("id")
	}
	if len(c.Body) == 0 {
		c.Body = []byte(EmptyAnswer)
	}
	return c, err
}

// Result is an answer's content; an id of 0 stands for no answer.
func (a CommandAnswer) Result() (status int, body []byte, err error) {
	if a.ID == 0 {
		return 0, nil, job.Errorf(job.Unreachable, "this server stops")
	}
	return a.Status, a.Body, nil
}
