package xxl

import (
	"errors"
	"math"

	"github.com/orthd/orth/job"
)

// decodeJobForm reads the body of any of the calls: each has some of the fields.
func decodeJobForm(body []byte) (JobForm, error) {
	var f JobForm
	s := scan(body)
	err := s.Fields(func(name []byte) (err error) {
		if field := f.text(string(name)); field != nil {
			*field, err = s.optionalText()
			return err
		}
		if field := f.number(string(name)); field != nil {
			*field, err = s.optionalInteger(string(name))
			return err
		}
		return s.Skip()
	})
	if err == nil {
		err = s.End()
	}
	return f, err
}

// optionalText consumes a text; null is nil.
func (s *scanner) optionalText() (*string, error) {
	value, null, err := s.Text()
	if err != nil || null {
		return nil, err
	}
	return new(string(value)), nil
}

// optionalInteger consumes a whole number of 32 bits; null is nil.
func (s *scanner) optionalInteger(name string) (*int64, error) {
	if s.Peek() == 'n' {
		return nil, s.Skip()
	}
	n, err := s.Integer(name, math.MinInt32, math.MaxInt32)
	return &n, err
}

// hintOf returns an error's remedy, empty for none.
func hintOf(err error) string {
	e, ok := errors.AsType[*job.Error](err)
	if !ok {
		return ""
	}
	return e.Hint
}
