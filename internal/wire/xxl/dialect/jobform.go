package dialect

import (
	"cmp"
	"crypto/rand"
	"maps"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
	"github.com/orthd/orth/schedule"
)

// What a form is refused with.
const (
	TextNoName        = "please input Job name"
	TextNoAuthor      = "please input Author"
	TextNoGroup       = "please choose Executor"
	TextNoSchedule    = "Schedule Type"
	TextScheduleWrong = "Schedule Typeillegal"
	TextCronWrong     = "Cronillegal"
	TextKindWrong     = "GLUE Typeillegal"
	TextNoHandler     = "please input JobHandler"
	TextRouteWrong    = "Route Strategyillegal"
	TextMisfireWrong  = "Misfire strategyillegal"
	TextOverlapWrong  = "Block Strategyillegal"
)

// JobForm is a request's description of a job, in the dialect's words. An absent field
// keeps the current value, while an empty text clears it. The zero JobForm has no field.
type JobForm struct {
	ID, Group, timeout, retries    *int64
	name, author, email            *string
	scheduleType, scheduleConf     *string
	misfire, route, overlap        *string
	handler, param, addresses      *string
	kindName, source, sourceRemark *string
	// foreign: the group is none of the caller's.
	Foreign bool
}

// Set sets the field of a name to what a form of a browser has for it, and passes over
// names that are no field. A number that is blank is absent. Errors are Invalid.
func (f *JobForm) Set(name, value string) error {
	if field := f.text(name); field != nil {
		*field = &value
		return nil
	}
	field := f.number(name)
	if field == nil {
		return nil
	}
	value = strings.TrimSpace(value)
	if value == "" {
		*field = nil
		return nil
	}
	n, err := strconv.ParseInt(value, 10, 32)
	if err != nil {
		return job.FieldErrorf(name, "%.40q is not a whole number from %d to %d", value, math.MinInt32, math.MaxInt32)
	}
	*field = &n
	return nil
}

// Forget makes the field absent if it has the value.
func (f *JobForm) Forget(name, value string) {
	if field := f.text(name); field != nil && *field != nil && **field == value {
		*field = nil
	}
	if field := f.number(name); field != nil && *field != nil && strconv.FormatInt(**field, 10) == value {
		*field = nil
	}
}

// Param returns the parameter, nil when it is absent.
func (f *JobForm) Param() *string { return f.param }

// number returns the field for a number of the name, nil when there is none.
func (f *JobForm) number(name string) **int64 {
	switch name {
	case "id":
		return &f.ID
	case "jobGroup":
		return &f.Group
	case "executorTimeout":
		return &f.timeout
	case "executorFailRetryCount":
		return &f.retries
	}
	return nil
}

// text returns the field for a text of the name, nil when there is none.
func (f *JobForm) text(name string) **string {
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

// Apply applies the form to j, in the order in which the dialect's own servers check it. A
// new job is fresh: the required fields must be there. A schedule that had no zone gets
// zone, where empty is UTC. Errors are Invalid. What belongs to j is not changed but
// replaced.
func (f *JobForm) Apply(j *job.Job, fresh bool, zone string) error {
	if value, given := pick(f.name, fresh); given {
		if Blank(value) {
			return job.Errorf(job.Invalid, TextNoName)
		}
		j.Title = value
	}
	if value, given := pick(f.author, fresh); given && Blank(value) {
		return job.Errorf(job.Invalid, TextNoAuthor)
	}
	if f.Foreign {
		return job.Errorf(job.Invalid, "%s: jobGroup is not the id of the caller's own group; leave it out", TextNoGroup)
	}
	var err error
	if j.Schedule, err = f.schedule(j.Schedule, fresh, zone); err != nil {
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
func (f *JobForm) schedule(present schedule.Spec, fresh bool, zone string) (schedule.Spec, error) {
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
		return present, job.Errorf(job.Invalid, "%s: give a scheduleType: NONE, CRON or FIX_RATE", TextScheduleWrong)
	case kind == "FIX_RATE" && conf == "":
		return present, job.Errorf(job.Invalid, "%s: give a scheduleConf, the seconds from one run to the next", TextNoSchedule)
	}
	if present.Zone != "" || present.Kind == schedule.KindCron {
		zone = present.Zone
	}
	wanted, err := ParseSchedule(kind, conf, zone)
	if err != nil {
		text := TextScheduleWrong
		if kind == "CRON" {
			text = TextCronWrong
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
func (f *JobForm) code(h *job.Handler) error {
	name, _ := pick(f.kindName, true)
	kind, known := ParseHandlerKind(name)
	handler, _ := pick(f.handler, true)
	switch {
	case !known:
		return job.Errorf(job.Invalid, "%s: %.40q is no glueType of ours", TextKindWrong, name)
	case kind == job.HandlerNamed && Blank(handler):
		return job.Errorf(job.Invalid, TextNoHandler)
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
func (f *JobForm) policies(j *job.Job, fresh bool) error {
	if value, given := pick(f.route, fresh); given {
		route, known := ParseRoute(value)
		if !known {
			return job.Errorf(job.Invalid, "%s: %.40q is no executorRouteStrategy", TextRouteWrong, value)
		}
		j.Route = route
	}
	if value, given := pick(f.misfire, fresh); given {
		misfire, known := ParseMisfire(value)
		if !known {
			return job.Errorf(job.Invalid, "%s: %.40q is no misfireStrategy; use DO_NOTHING or FIRE_ONCE_NOW", TextMisfireWrong, value)
		}
		if MisfireName(j.Misfire) != value || fresh {
			j.Misfire = misfire
		}
	}
	if value, given := pick(f.overlap, fresh); given {
		overlap := ParseOverlap(value)
		if OverlapName(overlap) != value {
			return job.Errorf(job.Invalid, "%s: %.40q is no executorBlockStrategy", TextOverlapWrong, value)
		}
		j.Overlap = overlap
	}
	return nil
}

// numbers sets the time limit and the retries, which follow at once upon a failure,
// as they do with the dialect's own servers. Less than none is none.
func (f *JobForm) numbers(j *job.Job) {
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
func (f *JobForm) labels(j *job.Job) {
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
func (f *JobForm) emails(j *job.Job) {
	if f.email == nil {
		return
	}
	j.AlarmEmails = nil
	for address := range strings.FieldsFuncSeq(*f.email, func(r rune) bool { return strings.ContainsRune(",;， \t", r) }) {
		j.AlarmEmails = append(j.AlarmEmails, address)
	}
}

// Addresses returns the executors that a run may go to, at most [job.MaxAddresses];
// none for all of the group. Errors are Invalid.
func (f *JobForm) Addresses() ([]string, error) {
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
	MaxKeyTail = 8
)

// JobKey returns a key for a new job: what of its title may stand in a key, or else of the
// name of its handler, and something random behind it when that is wanted because the
// first one was taken.
func JobKey(j *job.Job, random bool) string {
	key := cmp.Or(keyPart(j.Title), keyPart(j.Handler.Name), "job")
	if random {
		key += "-" + strings.ToLower(rand.Text()[:MaxKeyTail])
	}
	return key
}

// keyPart returns what of a name may stand in a key, empty for nothing.
func keyPart(name string) string {
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
	return key.String()
}
