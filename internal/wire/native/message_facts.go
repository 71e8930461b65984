package native

import (
	"github.com/orthd/orth/internal/wire/jsontext"
	"github.com/orthd/orth/job"
)

// factsMessage is an executor's document of facts.
type factsMessage struct {
	group, address string
	facts          job.Facts // without At
}

// appendFacts appends the request. The text of the facts must be JSON.
func appendFacts(dst []byte, m factsMessage) []byte {
	dst = jsontext.AppendTextField(dst, `{"group":`, m.group)
	dst = jsontext.AppendTextField(dst, `,"address":`, m.address)
	dst = jsontext.AppendTextField(dst, `,"kind":`, m.facts.Kind)
	return append(append(append(dst, `,"facts":`...), m.facts.Text...), '}')
}

// decodeFacts reads the request. Errors are Invalid.
func decodeFacts(body []byte) (factsMessage, error) {
	var m factsMessage
	err := whole(body, func(s *scanner, name string) (err error) {
		switch name {
		case fieldGroup:
			m.group, err = s.Str()
		case fieldAddress:
			m.address, err = s.Str()
		case "kind":
			m.facts.Kind, err = s.Str()
		case "facts":
			var raw []byte
			raw, err = s.Raw()
			m.facts.Text = string(raw)
		default:
			err = s.Skip()
		}
		return err
	})
	switch {
	case err != nil:
		return factsMessage{}, err
	case m.group == "":
		return factsMessage{}, missing(fieldGroup)
	case m.address == "":
		return factsMessage{}, missing(fieldAddress)
	}
	return m, m.facts.Check()
}
