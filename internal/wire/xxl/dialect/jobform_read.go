package dialect

import (
	"errors"

	"github.com/orthd/orth/job"
)

// DecodeJobForm reads the body of any of the calls: each has some of the fields.
func DecodeJobForm(body []byte) (JobForm, error) {
	var f JobForm
	s := Scan(body)
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

// FormHint returns an error's remedy, empty for none.
func FormHint(err error) string {
	e, ok := errors.AsType[*job.Error](err)
	if !ok {
		return ""
	}
	return e.Hint
}
