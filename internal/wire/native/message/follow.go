package message

import (
	"time"

	"github.com/orthd/orth/internal/wire/jsontext"
	"github.com/orthd/orth/job"
)

// FollowRequest asks an executor to bring the log of an attempt.
type FollowRequest struct {
	Server      string // brings are for this one
	Address     string // the executor's, as the server names it
	Attempt     int64
	TriggeredAt time.Time
	From        int           // the first line, from 1 on; 0 for the newest ones
	Wait        time.Duration // how long
}

// AppendFollow writes a request to follow a log.
func AppendFollow(dst []byte, r FollowRequest) []byte {
	dst = jsontext.AppendTextField(dst, `{"server":`, r.Server)
	dst = jsontext.AppendTextField(dst, `,"address":`, r.Address)
	dst = jsontext.AppendIntField(dst, `,"attempt":`, r.Attempt)
	dst = appendInstant(dst, `,"triggered_at":`, r.TriggeredAt)
	dst = appendNumber(dst, `,"from":`, int64(r.From))
	return append(appendDuration(dst, `,"for":`, r.Wait), '}')
}

// DecodeFollow reads the request. Errors are Invalid.
func DecodeFollow(body []byte) (FollowRequest, error) {
	var r FollowRequest
	err := whole(body, func(s *scanner, name string) (err error) {
		switch name {
		case fieldServer:
			r.Server, err = s.Str()
		case fieldAddress:
			r.Address, err = s.Str()
		case fieldAttempt:
			r.Attempt, err = s.id(name)
		case fieldTriggered:
			r.TriggeredAt, err = s.Instant(name)
		case "from":
			r.From, err = s.count(name)
		case "for":
			r.Wait, err = s.duration(name)
		default:
			err = s.Skip()
		}
		return err
	})
	switch {
	case err != nil:
		return FollowRequest{}, err
	case r.Attempt == 0:
		return FollowRequest{}, missing(fieldAttempt)
	}
	return r, CheckFollower(r.Server, r.Address)
}

// CheckFollower refuses what names no server or no executor.
func CheckFollower(server, address string) error {
	switch {
	case server == "":
		return missing(fieldServer)
	case len(server) > MaxServerID:
		return job.Errorf(job.Invalid, "server has %d bytes, at most %d are allowed", len(server), MaxServerID)
	case address == "":
		return missing(fieldAddress)
	case len(address) > job.MaxAddress:
		return job.Errorf(job.Invalid, "address has %d bytes, at most %d are allowed", len(address), job.MaxAddress)
	}
	return nil
}

// Chunk is some lines of an attempt's log.
type Chunk struct {
	Attempt int64
	Page    job.LogPage // End: no line follows
}

// LogsRequest brings lines to the server that follows them.
type LogsRequest struct {
	Server  string // that follows
	Address string // the executor's, as that server named it
	Chunks  []Chunk
}

// AppendLogs writes a request that brings lines of followed logs.
func AppendLogs(dst []byte, r LogsRequest) []byte {
	dst = jsontext.AppendTextField(dst, `{"server":`, r.Server)
	dst = jsontext.AppendTextField(dst, `,"address":`, r.Address)
	return append(appendItems(dst, `,"chunks":`, r.Chunks, func(dst []byte, c Chunk) []byte {
		dst = jsontext.AppendIntField(dst, `{"attempt":`, c.Attempt)
		dst = jsontext.AppendIntField(dst, `,"from":`, int64(c.Page.From))
		dst = jsontext.AppendTextField(dst, `,"text":`, c.Page.Text)
		return append(appendTruth(dst, `,"end":`, c.Page.End), '}')
	}), '}')
}

// DecodeLogs reads the request. Errors are Invalid.
func DecodeLogs(body []byte) (LogsRequest, error) {
	var r LogsRequest
	err := whole(body, func(s *scanner, name string) (err error) {
		switch name {
		case fieldServer:
			r.Server, err = s.Str()
		case fieldAddress:
			r.Address, err = s.Str()
		case "chunks":
			r.Chunks, err = list(s, name, MaxChunks, s.chunk)
		default:
			err = s.Skip()
		}
		return err
	})
	if err != nil {
		return LogsRequest{}, err
	}
	return r, CheckFollower(r.Server, r.Address)
}

func (s *scanner) chunk() (Chunk, error) {
	var c Chunk
	err := s.object(func(name string) (err error) {
		switch name {
		case fieldAttempt:
			c.Attempt, err = s.id(name)
		case "from":
			c.Page.From, err = s.count(name)
		case "text":
			c.Page.Text, err = s.Str()
		case "end":
			c.Page.End, err = s.Boolean(name)
		default:
			err = s.Skip()
		}
		return err
	})
	switch {
	case err != nil:
		return Chunk{}, err
	case c.Attempt == 0:
		return Chunk{}, missing(fieldAttempt)
	case len(c.Page.Text) > MaxChunk:
		return Chunk{}, job.Errorf(job.Invalid, "%w: text has %d bytes, at most %d are allowed", ErrTooMuch, len(c.Page.Text), MaxChunk)
	}
	return c, nil
}

// LogsAnswer is what became of the lines.
type LogsAnswer struct {
	Taken  bool    // false: this is another server than the one that follows
	Server string  // the name of this one then
	Stop   []int64 // attempts of which no more is wanted
}

// AppendLogsAnswer writes what a server answers to lines of followed logs.
func AppendLogsAnswer(dst []byte, a LogsAnswer) []byte {
	dst = jsontext.AppendBoolField(dst, `{"taken":`, a.Taken)
	dst = appendText(dst, `,"server":`, a.Server)
	return append(appendIDs(dst, `,"stop":`, a.Stop), '}')
}

// DecodeLogsAnswer reads the answer. Errors are Invalid.
func DecodeLogsAnswer(body []byte) (LogsAnswer, error) {
	var a LogsAnswer
	err := whole(body, func(s *scanner, name string) (err error) {
		switch name {
		case "taken":
			a.Taken, err = s.Boolean(name)
		case fieldServer:
			a.Server, err = s.Str()
		case "stop":
			a.Stop, err = s.ids(name, MaxChunks)
		default:
			err = s.Skip()
		}
		return err
	})
	return a, err
}
