package sqlstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/internal/redact"
	"github.com/orthd/orth/job"
)

// The audited columns of each kind of object. They never include columns that hold a
// secret, sealed or digested, nor columns that the server changes: a user who reads an
// object and changes it later must not get a conflict for those.
const (
	// By jobs_key and the primary keys of job_plans and executor_groups.
	readAuditJob = `SELECT j.id, j.version, j.namespace, j.job_key, g.group_key, j.title, j.description, p.enabled, j.schedule, j.misfire, j.misfire_limits,
		j.handler, j.param, j.inputs, j.route, j.shards, j.overlap, j.overlap_scope, j.overlap_queue, j.concurrency, j.timeout_ms, j.retry, j.on_crash,
		j.children, j.labels, j.delivery, j.logs, j.template, j.template_version, j.priority, j.expire_ms, j.stop_after, j.alarm_emails, j.updated_at
		FROM jobs j JOIN job_plans p ON p.job_id = j.id JOIN executor_groups g ON g.id = j.group_id
		WHERE j.namespace = ? AND j.tombstone = 0 AND j.job_key = ?`
	jobParts = `id version namespace key group title description enabled? schedule{} misfire misfire_limits{} handler{} param inputs{} route shards overlap overlap_scope
		overlap_queue concurrency timeout_ms retry{} on_crash children{} labels{} delivery{} logs{} template template_version priority expire_ms
		stop_after alarm_emails{} updated_at@`

	// By the primary keys of runs, jobs and executor_groups.
	readAuditRun = `SELECT r.id, j.namespace, j.job_key, g.group_key, r.state, r.reason, r.cause, r.planned_at, r.param, r.addresses, r.created_at
		FROM runs r JOIN jobs j ON j.id = r.job_id JOIN executor_groups g ON g.id = r.group_id WHERE r.id = ?`
	runParts = `id namespace job group state reason cause planned_at@ param addresses created_at@`

	// By dead_letters' primary key.
	readAuditLetter = `SELECT run_id, namespace, state, status, redriven_run, closed_reason FROM dead_letters WHERE run_id = ?`
	letterParts     = `run_id namespace state status redriven_run closed_reason`

	// By calendars' unique key.
	readAuditCalendar = `SELECT id, version, namespace, cal_key, title, rules, updated_at FROM calendars WHERE namespace = ? AND cal_key = ?`
	calendarParts     = `id version namespace key title rules{} updated_at@`

	// By pauses' unique key.
	readAuditPause = `SELECT id, version, pause_key, definition, created_at FROM pauses WHERE pause_key = ?`
	pauseParts     = `id version key definition{} created_at@`

	// By workflows' unique key.
	readAuditWorkflow = `SELECT id, version, namespace, workflow_key, title, nodes, updated_at FROM workflows WHERE namespace = ? AND workflow_key = ?`
	workflowParts     = `id version namespace key title nodes{} updated_at@`

	// By workflow_runs' primary key.
	readAuditWorkflowRun = `SELECT id, namespace, workflow_key, version, state, reason, planned_at, param, generation, created_at FROM workflow_runs WHERE id = ?`
	workflowRunParts     = `id namespace workflow version state reason planned_at@ param generation created_at@`

	// By the primary keys of backfills and jobs.
	readAuditBackfill = `SELECT b.id, j.namespace, j.job_key, b.state, b.reason, b.from_at, b.to_at, b.slots, b.parallel, b.spacing_ms, b.skip_succeeded, b.param
		FROM backfills b JOIN jobs j ON j.id = b.job_id WHERE b.id = ?`
	backfillParts = `id namespace job state reason from@ to@ slots parallel spacing_ms skip_succeeded? param`

	// By executor_groups_key: it may have moved.
	readAuditGroup = `SELECT id, version, namespace, group_key, title, labels, rewrites, own_token_only FROM executor_groups WHERE group_key = ?`
	groupParts     = `id version namespace key title labels{} rewrites{} own_token_only?`

	// By the primary keys of group_tokens and executor_groups.
	readAuditGroupToken = `SELECT t.id, g.namespace, g.group_key, t.label, t.created_at FROM group_tokens t JOIN executor_groups g ON g.id = t.group_id WHERE t.id = ?`
	groupTokenParts     = `id namespace group label created_at@`

	// By alarm_rules' unique key.
	readAuditAlarmRule = `SELECT id, version, namespace, rule_key, definition, updated_at FROM alarm_rules WHERE namespace = ? AND rule_key = ?`
	alarmRuleParts     = `id version namespace key definition{} updated_at@`

	// By alarm_channels' unique key.
	readAuditAlarmChannel = `SELECT id, version, namespace, chan_key, definition, is_default, updated_at FROM alarm_channels WHERE namespace = ? AND chan_key = ?`
	alarmChannelParts     = `id version namespace key definition{} default? updated_at@`

	// By alarm_silences' primary key.
	readAuditSilence = `SELECT id, namespace, definition, ends_at, created_at FROM alarm_silences WHERE id = ?`
	silenceParts     = `id namespace definition{} ends_at@ created_at@`

	// By alarms' primary key.
	readAuditAlarm = `SELECT id, namespace, rule_key, group_key, job_key, state, noted_at, noted_by FROM alarms WHERE id = ?`
	alarmParts     = `id namespace rule group job state noted_at@ noted_by`

	// By alarm_notifications' primary key.
	readAuditNotification = `SELECT id, namespace, rule_key, channel_key, status, tries, title FROM alarm_notifications WHERE id = ?`
	notificationParts     = `id namespace rule channel status tries title`
)

const (
	// By secrets' unique key.
	readAuditSecret = `SELECT id, version, namespace, secret_key, title, groups, updated_by, updated_at, replaced_at FROM secrets WHERE namespace = ? AND secret_key = ?`
	secretParts     = `id version namespace key title groups{} updated_by updated_at@ replaced_at@`

	// By users' unique name.
	readAuditUser = `SELECT id, kind, name, title, email, disabled, must_change, subject, grants, provided, epoch, updated_at FROM users WHERE name = ?`
	userParts     = `id kind name title email disabled? must_change? subject grants{} provided{} epoch updated_at@`

	// By the primary keys of api_tokens and users.
	readAuditAPIToken = `SELECT t.id, u.name, t.label, t.limits, t.created_at, t.expires_at FROM api_tokens t JOIN users u ON u.id = t.user_id WHERE t.id = ?`
	apiTokenParts     = `id user label limits{} created_at@ expires_at@`
)

// sort describes the objects of a kind to the store.
type sort struct {
	query string
	// parts are what the columns are called, in order: with @ an instant, with ? yes
	// or no, with {} JSON.
	parts string
	// by is what the query wants to know of an object.
	by func(o *intent.Object) []any
}

func byKey(o *intent.Object) []any   { return []any{o.Namespace, o.Key} }
func byAlone(o *intent.Object) []any { return []any{o.Key} }

// byID asks for an id. What is no number is the id of nothing.
func byID(o *intent.Object) []any {
	id, err := strconv.ParseInt(o.Key, 10, 64)
	if err != nil {
		id = 0
	}
	return []any{id}
}

// sortOf returns what is known of a kind, and false for nothing.
func sortOf(kind string) (sort, bool) {
	switch kind {
	case "job":
		return sort{readAuditJob, jobParts, byKey}, true
	case "run":
		return sort{readAuditRun, runParts, byID}, true
	case "dead letter":
		return sort{readAuditLetter, letterParts, byID}, true
	case "calendar":
		return sort{readAuditCalendar, calendarParts, byKey}, true
	case "pause":
		return sort{readAuditPause, pauseParts, byAlone}, true
	case "workflow":
		return sort{readAuditWorkflow, workflowParts, byKey}, true
	case "workflow run":
		return sort{readAuditWorkflowRun, workflowRunParts, byID}, true
	case "backfill":
		return sort{readAuditBackfill, backfillParts, byID}, true
	case "group":
		return sort{readAuditGroup, groupParts, byAlone}, true
	case "group token":
		return sort{readAuditGroupToken, groupTokenParts, byID}, true
	case "alarm rule":
		return sort{readAuditAlarmRule, alarmRuleParts, byKey}, true
	case "alarm channel":
		return sort{readAuditAlarmChannel, alarmChannelParts, byKey}, true
	case "secret":
		return sort{readAuditSecret, secretParts, byKey}, true
	case "silence":
		return sort{readAuditSilence, silenceParts, byID}, true
	case "user":
		return sort{readAuditUser, userParts, byAlone}, true
	case "api token":
		return sort{readAuditAPIToken, apiTokenParts, byID}, true
	case "alarm":
		return sort{readAuditAlarm, alarmParts, byID}, true
	case "notification":
		return sort{readAuditNotification, notificationParts, byID}, true
	}
	return sort{}, false
}

// cells is a row of which only its parts are known.
type cells struct{ values []any }

func (s sort) fields(c *cells) []any {
	c.values = make([]any, len(strings.Fields(s.parts)))
	dest := make([]any, len(c.values))
	for i := range dest {
		dest[i] = &c.values[i]
	}
	return dest
}

// object returns what is stored of an object, as JSON; empty when there is none, or
// when nothing is known of its kind.
func (t *tx) object(o *intent.Object) (string, error) {
	s, known := sortOf(o.Kind)
	if !known || o.Key == "" {
		return "", nil
	}
	var row cells
	found, err := t.read(s.query, s.by(o), s.fields(&row))
	if err != nil || !found {
		return "", err
	}
	return s.text(&row, t.mask)
}

// Version names how an object stands, for an intent to match: it is another one
// whenever a user has changed the object. Empty when there is none, or when nothing
// is known of its kind.
func (s *Store) Version(ctx context.Context, o intent.Object) (string, error) {
	k, known := sortOf(o.Kind)
	if !known || o.Key == "" {
		return "", nil
	}
	row, found, err := first(ctx, s.reader, k.fields, k.query, k.by(&o)...)
	if err != nil || !found {
		return "", err
	}
	text, err := k.text(&row, s.mask)
	return versionOf(text), err
}

// versionOf returns the version of an object that is stored like this.
func versionOf(text string) string {
	if text == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:12])
}

// text returns a row as JSON, without secrets.
func (s sort) text(row *cells, m *redact.Mask) (string, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, part := range strings.Fields(s.parts) {
		if i > 0 {
			out.WriteByte(',')
		}
		name, value := partOf(part, row.values[i])
		out.WriteString(strconv.Quote(name) + ":")
		if err := encodePlain(&out, scrubbed(m, "", value)); err != nil {
			return "", err
		}
	}
	out.WriteByte('}')
	whole := out.String()
	if len(whole) <= maxAudited {
		return whole, nil
	}
	out.Reset()
	err := encodePlain(&out, digested(whole))
	return out.String(), err
}

// partOf returns the name of a part and its value as JSON has it.
func partOf(part string, value any) (string, any) {
	if raw, ok := value.([]byte); ok {
		value = string(raw)
	}
	if name, is := strings.CutSuffix(part, "@"); is {
		if at, _ := value.(int64); at != 0 {
			return name, job.FromMillis(at).UTC().Format(time.RFC3339Nano)
		}
		return name, nil
	}
	if name, is := strings.CutSuffix(part, "?"); is {
		n, _ := value.(int64)
		return name, n != 0
	}
	if name, is := strings.CutSuffix(part, "{}"); is {
		text, _ := value.(string)
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		var inner any
		if decoder.Decode(&inner) == nil {
			return name, inner
		}
		return name, text
	}
	return part, value
}

const (
	// maxAudited is the most bytes of an object in the audit, maxText of a text in it:
	// of a longer one the digest is kept.
	maxAudited = 64 << 10
	maxText    = 1 << 10
)

// digested stands for a text that is too long.
func digested(text string) any {
	sum := sha256.Sum256([]byte(text))
	return map[string]any{"sha256": hex.EncodeToString(sum[:]), "bytes": len(text)}
}

// scrubbed returns a value without secrets and long texts. name is what users call
// it; empty for what has a name of ours.
func scrubbed(m *redact.Mask, name string, value any) any {
	switch v := value.(type) {
	case string:
		switch pair := name + "=" + v; {
		case len(v) > maxText:
			return digested(v)
		case name != "" && v != "" && m.Text(pair) == name+"="+redact.Masked:
			return redact.Masked
		}
		return m.Text(v)
	case map[string]any:
		for key, inner := range v {
			v[key] = scrubbed(m, key, inner)
		}
	case []any:
		for i, inner := range v {
			v[i] = scrubbed(m, name, inner)
		}
	}
	return value
}

// encodePlain writes a value as JSON that people can read.
func encodePlain(out *bytes.Buffer, value any) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err
	}
	out.Truncate(out.Len() - 1) // the end of the line
	return nil
}
