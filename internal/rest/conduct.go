package rest

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/orthd/orth/job"
)

// conduct defines how an operation with side effects is carried out, and what the audit log
// records. An operation outside of the table counts as one that acts outside of the
// database and returns secrets: it is recorded, and has no further features.
type conduct struct {
	// kind is what the object of the path is, as the store knows it; empty for what the
	// rule has found. made is what the operation makes, when the path names no object.
	kind string
	made bool
	// acts is set when it acts outside of the database.
	acts bool
	// dry is set when it has a dry run: everything is checked, and rolled back.
	dry bool
	// part is set when it changes a part that belongs to the object, and not the object.
	part bool
	// shown is set when its answer has a secret that is shown once.
	shown bool
	// noted is set when it makes a revision, for which it accepts a note; match when it
	// accepts If-Match although it is no PUT, PATCH or DELETE.
	noted, match bool
}

// The kinds of objects that conducts name.
const (
	kindJob          = "job"
	kindCalendar     = "calendar"
	kindPause        = "pause"
	kindWorkflow     = "workflow"
	kindAlarmRule    = "alarm rule"
	kindAlarmChannel = "alarm channel"
	kindSilence      = "silence"
	kindLetter       = "dead letter"
	kindBackfill     = "backfill"
	kindGroup        = "group"
	kindUser         = "user"
	kindSecret       = "secret"
)

// conducts are those of the operations that change something, by id.
func conducts() map[string]conduct {
	return map[string]conduct{
		"create-job":  {kind: kindJob, made: true, dry: true, noted: true},
		"update-job":  {kind: kindJob, dry: true, noted: true},
		"restore-job": {kind: kindJob, dry: true, noted: true, match: true},
		"copy-job":    {kind: kindJob, noted: true},
		"delete-job":  {kind: kindJob, dry: true, noted: true},
		"start-job":   {kind: kindJob, dry: true, noted: true},
		"stop-job":    {kind: kindJob, dry: true, noted: true},
		"try-job":     {kind: kindJob, dry: true},
		"trigger-job": {kind: kindJob, dry: true},
		"add-history": {kind: kindJob},
		"bulk-jobs":   {},

		"cancel-run":   {acts: true},
		"rerun-run":    {},
		"clean-runs":   {acts: true},
		"retry-shards": {},
		"bulk-runs":    {},

		"redrive-dead-letter":  {kind: kindLetter},
		"close-dead-letter":    {kind: kindLetter, dry: true},
		"redrive-dead-letters": {},
		"close-dead-letters":   {},

		"create-backfill": {kind: kindJob, dry: true},
		"cancel-backfill": {kind: kindBackfill},

		"save-calendar":   {kind: kindCalendar, dry: true},
		"delete-calendar": {kind: kindCalendar, dry: true},
		"save-pause":      {kind: kindPause, dry: true},
		"delete-pause":    {kind: kindPause, dry: true},

		"save-workflow":       {kind: kindWorkflow, dry: true},
		"delete-workflow":     {kind: kindWorkflow, dry: true},
		"start-workflow":      {kind: kindWorkflow, dry: true},
		"cancel-workflow-run": {acts: true},
		"resume-workflow-run": {dry: true},

		"create-secret": {kind: kindSecret, made: true, dry: true},
		"update-secret": {kind: kindSecret, dry: true},
		"delete-secret": {kind: kindSecret, dry: true},

		"create-group":   {kind: kindGroup, made: true, dry: true},
		"delete-group":   {kind: kindGroup, dry: true},
		"edit-group":     {kind: kindGroup, dry: true},
		"add-address":    {},
		"remove-address": {},
		"set-dialect":    {},
		"drain-executor": {acts: true},
		"drain-server":   {},
		"save-rewrites":  {},

		"add-group-token":    {shown: true},
		"remove-group-token": {},

		"note-alarm":           {dry: true},
		"retry-notification":   {dry: true},
		"create-alarm-rule":    {kind: kindAlarmRule, made: true, dry: true},
		"update-alarm-rule":    {kind: kindAlarmRule, dry: true},
		"delete-alarm-rule":    {kind: kindAlarmRule, dry: true},
		"create-alarm-channel": {kind: kindAlarmChannel, made: true, dry: true},
		"update-alarm-channel": {kind: kindAlarmChannel, dry: true},
		"delete-alarm-channel": {kind: kindAlarmChannel, dry: true},
		"test-alarm-channel":   {kind: kindAlarmChannel, acts: true},
		"test-alarm-settings":  {kind: kindAlarmChannel, made: true, acts: true},
		"create-alarm-silence": {kind: kindSilence, made: true, dry: true},
		"delete-alarm-silence": {kind: kindSilence, dry: true},
		"end-alarm-silence":    {kind: kindSilence, dry: true},

		// What signs in and out is not asked for twice with a key.
		"sign-in":           {made: true, shown: true},
		"finish-oidc":       {made: true, shown: true},
		"sign-out":          {},
		"change-password":   {shown: true},
		"end-session":       {},
		"end-user-session":  {},
		"end-user-sessions": {},

		"create-user":       {kind: kindUser, made: true, shown: true},
		"update-user":       {kind: kindUser, dry: true},
		"delete-user":       {kind: kindUser, dry: true},
		"disable-user":      {kind: kindUser, dry: true},
		"enable-user":       {kind: kindUser, dry: true},
		"set-user-password": {kind: kindUser, part: true, shown: true},
		"create-user-token": {kind: kindUser, shown: true},
		"revoke-user-token": {kind: kindUser, part: true},
		"give-grant":        {kind: kindUser, part: true, dry: true},
		"take-grant":        {kind: kindUser, part: true, dry: true},
		"create-token":      {made: true, shown: true},
		"revoke-token":      {},

		"prune-audit": {made: true},
		"import":      {made: true, acts: true},
		// Questions that are asked with POST.
		"preview-firings": {},
	}
}

// tagged are the operations that show one object as it is stored, with the kind of it.
func tagged() map[string]string {
	return map[string]string{
		"get-job":           kindJob,
		"get-calendar":      kindCalendar,
		"get-pause":         kindPause,
		"get-workflow":      kindWorkflow,
		"get-alarm-rule":    kindAlarmRule,
		"get-alarm-channel": kindAlarmChannel,
		"get-alarm-silence": kindSilence,
		"get-group":         kindGroup,
		"get-user":          kindUser,
		"get-secret":        kindSecret,
	}
}

// matching reports whether an operation takes If-Match: one that changes, or removes,
// an object that is read with its tag.
func (s *server) matching(method, operation string) bool {
	c, known := s.conducts[operation]
	if method != http.MethodPatch && method != http.MethodPut && method != http.MethodDelete && !c.match {
		return false
	}
	if !known || c.made || c.part {
		return false
	}
	for _, kind := range s.tags {
		if kind == c.kind {
			return true
		}
	}
	return false
}

// offer puts into the document of an operation how it can be asked to be carried out.
func (s *server) offer(op *huma.Operation) {
	add := func(in, name, about string, schema *huma.Schema) {
		op.Parameters = append(op.Parameters, &huma.Param{Name: name, In: in, Description: about, Schema: schema})
	}
	text := &huma.Schema{Type: huma.TypeString}
	if _, is := s.tags[op.OperationID]; is && op.Method == http.MethodGet {
		add("header", "If-None-Match", "The ETag of an answer that you have: 304 when it is still the same.", text)
	}
	c := s.conducts[op.OperationID]
	if op.Method == http.MethodPost && s.rights[op.OperationID].right != open {
		most := maxOnceKey
		add("header", headerOnce, "A key that you make up, such as a UUID. Asked again with it within 24 hours, the request takes no effect "+
			"a second time: you get the answer to the first.", &huma.Schema{Type: huma.TypeString, MaxLength: &most})
	}
	if c.dry {
		add("query", queryDry, "Check everything and change nothing: the answer, with the status 200, is what would be.", &huma.Schema{Type: huma.TypeBoolean})
	}
	if c.noted {
		most := job.MaxNote
		add("query", queryNote, "A note about the change: one line, kept with the revision of the job that it makes.",
			&huma.Schema{Type: huma.TypeString, MaxLength: &most})
	}
	if s.matching(op.Method, op.OperationID) {
		add("header", "If-Match", "The ETag that the object was read with, or *: 412 when it was changed since.", text)
	}
}
