package xxl

import (
	"crypto/rand"
	"errors"
	"maps"
	"math"
	"strings"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
	"github.com/orthd/orth/schedule"
)

// jobForm is what a call says about a job. Each field is nil when it is absent or
// null: that leaves alone what there is, while an empty text empties it.
type jobForm struct {
	id, group, timeout, retries    *int64
	name, author, email            *string
	scheduleType, scheduleConf     *string
	misfire, route, overlap        *string
	handler, param, addresses      *string
	kindName, source, sourceRemark *string
	// foreign says that the group is none of the caller's.
	foreign bool
}

// decodeJobForm reads the body of any of the calls: each has some of the fields.
func decodeJobForm(body []byte) (jobForm, error) {
	var f jobForm
	s := scan(body)
	err := s.Fields(func(name []byte) (err error) {
		if field := f.text(string(name)); field != nil {
			*field, err = s.optionalText()
			return err
		}
		switch string(name) {
		case "id":
			f.id, err = s.optionalInteger("id")
		case "jobGroup":
			f.group, err = s.optionalInteger("jobGroup")
		case "executorTimeout":
			f.timeout, err = s.optionalInteger("executorTimeout")
		case "executorFailRetryCount":
			f.retries, err = s.optionalInteger("executorFailRetryCount")
		default:
			err = s.Skip()
		}
		return err
	})
	if err == nil {
		err = s.End()
	}
	return f, err
}

// text returns the field for a text of the name, nil when there is none.
func (f *jobForm) text(name string) **string {
	switch name {
	case "name":
		return &f.name
	case "author":
		return &f.author
	case "alarmEmail":
		return &f.email
	case "scheduleType":
		return &f.scheduleType
	case "scheduleConf":
		return &f.scheduleConf
	case "misfireStrategy":
		return &f.misfire
	case "executorRouteStrategy":
		return &f.route
	case "executorBlockStrategy":
		return &f.overlap
	case "executorHandler":
		return &f.handler
	case "executorParam":
		return &f.param
	case "addressList":
		return &f.addresses
	case "glueType":
		return &f.kindName
	case "glueSource":
		return &f.source
	case "glueRemark":
		return &f.sourceRemark
	}
	return nil
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

// apply makes of j what the form says, in the order in which the dialect's own
// servers look at it. For a new job the fields that it cannot do without must be
// there. Errors are Invalid. What belongs to j is not changed but replaced.
func (f *jobForm) apply(j *job.Job, fresh bool) error {
	if value, given := pick(f.name, fresh); given {
		if blank(value) {
			return job.Errorf(job.Invalid, textNoName)
		}
		j.Title = value
	}
	if value, given := pick(f.author, fresh); given && blank(value) {
		return job.Errorf(job.Invalid, textNoAuthor)
	}
	if f.foreign {
		return job.Errorf(job.Invalid, "%s: jobGroup is not the id of the caller's own group; leave it out", textNoGroup)
	}
	var err error
	if j.Schedule, err = f.schedule(j.Schedule, fresh); err != nil {
		return err
	}
	if fresh {
		err = f.code(&j.Handler)
	} else if f.handler != nil && !j.Handler.Kind.Script() {
		j.Handler = job.Handler{Kind: job.HandlerNamed, Name: *f.handler}
	}
	if err == nil {
		err = f.policies(j, fresh)
	}
	f.numbers(j)
	if f.param != nil {
		j.Param = *f.param
	}
	f.labels(j)
	f.emails(j)
	return err
}

// pick returns the text of a field, and whether it counts: that of a new job
// always does.
func pick(field *string, fresh bool) (string, bool) {
	if field == nil {
		return "", fresh
	}
	return *field, true
}

// schedule returns the schedule that the form makes of the present one. What the
// dialect has no words for, such as the zone, stays while the kind does.
func (f *jobForm) schedule(present schedule.Spec, fresh bool) (schedule.Spec, error) {
	if !fresh && f.scheduleType == nil && f.scheduleConf == nil {
		return present, nil
	}
	var kind, conf string
	sayable := false
	if !fresh {
		kind, conf, sayable = ScheduleName(present)
	}
	same := sayable
	if f.scheduleType != nil {
		same = same && kind == *f.scheduleType
		kind = *f.scheduleType
	}
	if f.scheduleConf != nil {
		same = same && (conf == *f.scheduleConf || present.Kind == schedule.KindManual)
		conf = *f.scheduleConf
	}
	switch {
	case same:
		return present, nil
	case kind == "":
		return present, job.Errorf(job.Invalid, "%s: give a scheduleType: NONE, CRON or FIX_RATE", textScheduleWrong)
	case kind == "FIX_RATE" && conf == "":
		return present, job.Errorf(job.Invalid, "%s: give a scheduleConf, the seconds from one run to the next", textNoSchedule)
	}
	wanted, err := ParseSchedule(kind, conf, present.Zone)
	if err != nil {
		text := textScheduleWrong
		if kind == "CRON" {
			text = textCronWrong
		}
		return present, job.Errorf(job.Invalid, "%s: %w", text, err)
	}
	if wanted.Kind == present.Kind {
		present.Cron, present.Every = wanted.Cron, wanted.Every
		return present, nil
	}
	return wanted, nil
}

// code sets the code of a new job.
func (f *jobForm) code(h *job.Handler) error {
	name, _ := pick(f.kindName, true)
	kind, known := ParseHandlerKind(name)
	handler, _ := pick(f.handler, true)
	switch {
	case !known:
		return job.Errorf(job.Invalid, "%s: %.40q is no glueType of ours", textKindWrong, name)
	case kind == job.HandlerNamed && blank(handler):
		return job.Errorf(job.Invalid, textNoHandler)
	case kind == job.HandlerNamed:
		*h = job.Handler{Kind: kind, Name: handler}
		return nil
	}
	source, _ := pick(f.source, true)
	if kind == job.HandlerShell {
		source = strings.ReplaceAll(source, "\r", "") // shells take it for a part of words
	}
	*h = job.Handler{Kind: kind, Source: source}
	return nil
}

// policies sets what is one of a few words.
func (f *jobForm) policies(j *job.Job, fresh bool) error {
	if value, given := pick(f.route, fresh); given {
		route, known := ParseRoute(value)
		if !known {
			return job.Errorf(job.Invalid, "%s: %.40q is no executorRouteStrategy", textRouteWrong, value)
		}
		j.Route = route
	}
	if value, given := pick(f.misfire, fresh); given {
		misfire, known := ParseMisfire(value)
		if !known {
			return job.Errorf(job.Invalid, "%s: %.40q is no misfireStrategy; use DO_NOTHING or FIRE_ONCE_NOW", textMisfireWrong, value)
		}
		if MisfireName(j.Misfire) != value || fresh {
			j.Misfire = misfire
		}
	}
	if value, given := pick(f.overlap, fresh); given {
		overlap := ParseOverlap(value)
		if OverlapName(overlap) != value {
			return job.Errorf(job.Invalid, "%s: %.40q is no executorBlockStrategy", textOverlapWrong, value)
		}
		j.Overlap = overlap
	}
	return nil
}

// numbers sets the time limit and the retries, which follow at once upon a failure,
// as they do with the dialect's own servers. Less than none is none.
func (f *jobForm) numbers(j *job.Job) {
	if f.timeout != nil {
		j.Timeout = time.Duration(max(*f.timeout, 0)) * time.Second
	}
	switch {
	case f.retries == nil:
	case *f.retries <= 0:
		j.Retry = retry.Policy{}
	default:
		j.Retry.Tries = int(*f.retries)
	}
}

// labels keeps what jobs have no field for.
func (f *jobForm) labels(j *job.Job) {
	labels := make(map[string]string, len(j.Labels)+2)
	maps.Copy(labels, j.Labels)
	for key, value := range map[string]*string{"author": f.author, "glue_remark": f.sourceRemark} {
		switch {
		case value == nil:
		case *value == "":
			delete(labels, key)
		default:
			labels[key] = *value
		}
	}
	if j.Labels = labels; len(labels) == 0 {
		j.Labels = nil
	}
}

// emails sets who gets a mail when a run has failed.
func (f *jobForm) emails(j *job.Job) {
	if f.email == nil {
		return
	}
	j.AlarmEmails = nil
	for address := range strings.FieldsFuncSeq(*f.email, func(r rune) bool { return strings.ContainsRune(",;， \t", r) }) {
		j.AlarmEmails = append(j.AlarmEmails, address)
	}
}

// addressList returns the executors that a run may go to.
func (f *jobForm) addressList() ([]string, error) {
	if f.addresses == nil {
		return nil, nil
	}
	var addresses []string
	for address := range strings.SplitSeq(*f.addresses, ",") {
		if address = strings.TrimSpace(address); address == "" {
			continue
		}
		if len(addresses) == job.MaxAddresses {
			return nil, job.FieldErrorf("addressList", "has more than %d addresses", job.MaxAddresses)
		}
		addresses = append(addresses, address)
	}
	return addresses, nil
}

// The keys that are made of names: some bytes of the name, and random ones when it
// is taken.
const (
	maxKeyName = 48
	maxKeyTail = 8
)

// jobKey returns a key for a job of the name: what of the name may stand in a key.
func jobKey(name string, random bool) string {
	var key strings.Builder
	gap := false
	for _, c := range []byte(strings.ToLower(name)) {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			if gap && key.Len() > 0 {
				key.WriteByte('-')
			}
			key.WriteByte(c)
			gap = false
		} else {
			gap = true
		}
		if key.Len() >= maxKeyName {
			break
		}
	}
	if key.Len() == 0 {
		key.WriteString("job")
	}
	if random {
		key.WriteString("-" + strings.ToLower(rand.Text()[:maxKeyTail]))
	}
	return key.String()
}

// hintOf returns what an error says that is to be done, empty for nothing.
func hintOf(err error) string {
	e, ok := errors.AsType[*job.Error](err)
	if !ok {
		return ""
	}
	return e.Hint
}
