package message

import (
	"github.com/orthd/orth/internal/wire/jsontext"
	"github.com/orthd/orth/job"
)

// FactsMessage is an executor's document of facts.
type FactsMessage struct {
	Group, Address string
	Facts          job.Facts // without At
}

// AppendFacts appends the request. The text of the facts must be JSON.
func AppendFacts(dst []byte, m FactsMessage) []byte {
	dst = jsontext.AppendTextField(dst, `{"group":`, m.Group)
	dst = jsontext.AppendTextField(dst, `,"address":`, m.Address)
	dst = jsontext.AppendTextField(dst, `,"kind":`, m.Facts.Kind)
	return append(append(append(dst, `,"facts":`...), m.Facts.Text...), '}')
}

// DecodeFacts reads the request. Errors are Invalid.
func DecodeFacts(body []byte) (FactsMessage, error) {
	var m FactsMessage
	err := whole(body, func(s *scanner, name string) (err error) {
		switch name {
		case fieldGroup:
			m.Group, err = s.Str()
		case fieldAddress:
			m.Address, err = s.Str()
		case "kind":
			m.Facts.Kind, err = s.Str()
		case "facts":
			var raw []byte
			raw, err = s.Raw()
			m.Facts.Text = string(raw)
		default:
			err = s.Skip()
		}
		return err
	})
	switch {
	case err != nil:
		return FactsMessage{}, err
	case m.Group == "":
		return FactsMessage{}, missing(fieldGroup)
	case m.Address == "":
		return FactsMessage{}, missing(fieldAddress)
	}
	return m, m.Facts.Check()
}
