package native

import (
	"time"

	"github.com/orthd/orth/internal/wire/jsontext"
	"github.com/orthd/orth/job"
)

// followRequest asks an executor to bring the log of an attempt.
type followRequest struct {
	server      string // brings are for this one
	address     string // the executor's, as the server names it
	attempt     int64
	triggeredAt time.Time
	from        int           // the first line, from 1 on; 0 for the newest ones
	wait        time.Duration // how long
}

func appendFollow(dst []byte, r followRequest) []byte {
	dst = jsontext.AppendTextField(dst, `{"server":`, r.server)
	dst = jsontext.AppendTextField(dst, `,"address":`, r.address)
	dst = jsontext.AppendIntField(dst, `,"attempt":`, r.attempt)
	dst = appendInstant(dst, `,"triggered_at":`, r.triggeredAt)
	dst = appendNumber(dst, `,"from":`, int64(r.from))
	return append(appendDuration(dst, `,"for":`, r.wait), '}')
}

// decodeFollow reads the request. Errors are Invalid.
func decodeFollow(body []byte) (followRequest, error) {
	var r followRequest
	err := whole(body, func(s *scanner, name string) (err error) {
		switch name {
		case fieldServer:
			r.server, err = s.Str()
		case fieldAddress:
			r.address, err = s.Str()
		case fieldAttempt:
			r.attempt, err = s.id(name)
		case fieldTriggered:
			r.triggeredAt, err = s.Instant(name)
		case "from":
			r.from, err = s.count(name)
		case "for":
			r.wait, err = s.duration(name)
		default:
			err = s.Skip()
		}
		return err
	})
	switch {
	case err != nil:
		return followRequest{}, err
	case r.attempt == 0:
		return followRequest{}, missing(fieldAttempt)
	}
	return r, checkFollower(r.server, r.address)
}

// checkFollower refuses what names no server or no executor.
func checkFollower(server, address string) error {
	switch {
	case server == "":
		return missing(fieldServer)
	case len(server) > maxServerID:
		return job.Errorf(job.Invalid, "server has %d bytes, at most %d are allowed", len(server), maxServerID)
	case address == "":
		return missing(fieldAddress)
	case len(address) > job.MaxAddress:
		return job.Errorf(job.Invalid, "address has %d bytes, at most %d are allowed", len(address), job.MaxAddress)
	}
	return nil
}

// chunk is some lines of an attempt's log.
type chunk struct {
	attempt int64
	page    job.LogPage // End: no line follows
}

// logsRequest brings lines to the server that follows them.
type logsRequest struct {
	server  string // that follows
	address string // the executor's, as that server named it
	chunks  []chunk
}

func appendLogs(dst []byte, r logsRequest) []byte {
	dst = jsontext.AppendTextField(dst, `{"server":`, r.server)
	dst = jsontext.AppendTextField(dst, `,"address":`, r.address)
	return append(appendItems(dst, `,"chunks":`, r.chunks, func(dst []byte, c chunk) []byte {
		dst = jsontext.AppendIntField(dst, `{"attempt":`, c.attempt)
		dst = jsontext.AppendIntField(dst, `,"from":`, int64(c.page.From))
		dst = jsontext.AppendTextField(dst, `,"text":`, c.page.Text)
		return append(appendTruth(dst, `,"end":`, c.page.End), '}')
	}), '}')
}

// decodeLogs reads the request. Errors are Invalid.
func decodeLogs(body []byte) (logsRequest, error) {
	var r logsRequest
	err := whole(body, func(s *scanner, name string) (err error) {
		switch name {
		case fieldServer:
			r.server, err = s.Str()
		case fieldAddress:
			r.address, err = s.Str()
		case "chunks":
			r.chunks, err = list(s, name, maxChunks, s.chunk)
		default:
			err = s.Skip()
		}
		return err
	})
	if err != nil {
		return logsRequest{}, err
	}
	return r, checkFollower(r.server, r.address)
}

func (s *scanner) chunk() (chunk, error) {
	var c chunk
	err := s.object(func(name string) (err error) {
		switch name {
		case fieldAttempt:
			c.attempt, err = s.id(name)
		case "from":
			c.page.From, err = s.count(name)
		case "text":
			c.page.Text, err = s.Str()
		case "end":
			c.page.End, err = s.Boolean(name)
		default:
			err = s.Skip()
		}
		return err
	})
	switch {
	case err != nil:
		return chunk{}, err
	case c.attempt == 0:
		return chunk{}, missing(fieldAttempt)
	case len(c.page.Text) > maxChunk:
		return chunk{}, job.Errorf(job.Invalid, "%w: text has %d bytes, at most %d are allowed", errTooMuch, len(c.page.Text), maxChunk)
	}
	return c, nil
}

// logsAnswer is what became of the lines.
type logsAnswer struct {
	taken  bool    // false: this is another server than the one that follows
	server string  // the name of this one then
	stop   []int64 // attempts of which no more is wanted
}

func appendLogsAnswer(dst []byte, a logsAnswer) []byte {
	dst = jsontext.AppendBoolField(dst, `{"taken":`, a.taken)
	dst = appendText(dst, `,"server":`, a.server)
	return append(appendIDs(dst, `,"stop":`, a.stop), '}')
}

// decodeLogsAnswer reads the answer. Errors are Invalid.
func decodeLogsAnswer(body []byte) (logsAnswer, error) {
	var a logsAnswer
	err := whole(body, func(s *scanner, name string) (err error) {
		switch name {
		case "taken":
			a.taken, err = s.Boolean(name)
		case fieldServer:
			a.server, err = s.Str()
		case "stop":
			a.stop, err = s.ids(name, maxChunks)
		default:
			err = s.Skip()
		}
		return err
	})
	return a, err
}
