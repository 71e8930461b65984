package job

import (
	"time"
	"unicode/utf8"

	"github.com/orthd/orth/retry"
	"github.com/orthd/orth/schedule"
)

// DefaultNamespace is the namespace of everything that names none.
const DefaultNamespace = "default"

// Job defines code to run, with its schedule, executors and retry policy.
type Job struct {
	// ID is for machines; it fits 31 bits because the wire carries it so.
	ID int64 `json:"id"`
	// Namespace and Key are for people and files: together they are unique.
	Namespace string `json:"namespace"`
	Key       string `json:"key"`
	Title     string `json:"title,omitempty"`
	// Description is the purpose of the job and what to do when it fails, for people, in
	// lines, at most [MaxDescription] characters.
	Description string `json:"description,omitempty"`
	// GroupID and Group are the id and the key of the executors' group.
	GroupID int64  `json:"group_id"`
	Group   string `json:"group"`

	Schedule schedule.Spec    `json:"schedule"`
	Misfire  schedule.Misfire `json:"misfire"`
	// MisfireLimits define when a firing counts as missed, and bound the firings that are
	// made up for.
	MisfireLimits schedule.MisfireLimits `json:"misfire_limits,omitzero"`

	Handler Handler `json:"handler"`
	// Param is passed to the handler as it is, at most [MaxParam] bytes, with the values of
	// Inputs inserted. Those are the values that a run may be given, at most [MaxInputs];
	// nothing else of the Param can be replaced then.
	Param  string  `json:"param,omitempty"`
	Inputs []Input `json:"inputs,omitempty"`

	Route Route `json:"route"`
	// Shards is the number of parts into which RouteBroadcast splits a run, at most
	// [MaxShards]; zero means one for each live executor.
	Shards  int     `json:"shards,omitempty"`
	Overlap Overlap `json:"overlap"`
	// Concurrency is how many runs may be in progress at once with OverlapConcurrent,
	// 1..[MaxConcurrency]; less means 1.
	Concurrency int `json:"concurrency,omitempty"`
	// OverlapScope selects the runs that Overlap counts. OverlapQueue is how many runs may
	// wait for others of the job, 1..[MaxOverlapQueue], in the cluster's scope; zero means
	// [DefaultOverlapQueue].
	OverlapScope OverlapScope `json:"overlap_scope,omitempty"`
	OverlapQueue int          `json:"overlap_queue,omitempty"`
	// Labels are passed to the handler: at most [MaxLabels].
	Labels map[string]string `json:"labels,omitempty"`
	// Timeout ends an attempt on the executor. Zero means none. The wire
	// carries whole seconds, so fractions are rounded up.
	Timeout time.Duration `json:"timeout,omitempty"`
	Retry   retry.Policy  `json:"retry,omitzero"`
	OnCrash OnCrash       `json:"on_crash"`
	// Delivery defines how runs wait for executors and how long they are kept.
	Delivery Delivery `json:"delivery,omitzero"`
	// Logs bounds what servers keep of the logs of its runs.
	Logs LogPolicy `json:"logs,omitzero"`
	// AlarmEmails get a mail when a run has failed after its last attempt: at most
	// [MaxAlarmEmails] addresses. It needs no rule.
	AlarmEmails []string `json:"alarm_emails,omitempty"`
	// Template is the id of the job whose Handler this one runs; zero means its own.
	// TemplateVersion pins a version of it; zero follows it.
	Template        int64 `json:"template,omitempty"`
	TemplateVersion int64 `json:"template_version,omitempty"`
	// TemplateKey is the key of the Template, filled on reads.
	TemplateKey string `json:"-"`
	// Children are the jobs that the end of a run starts, at most
	// [MaxChildren], each job once and never the job itself.
	Children []Child `json:"children,omitempty"`

	// StopAfter disables the job after this many failed runs in a row; zero is never. At
	// most [MaxStopAfter].
	StopAfter int `json:"stop_after,omitempty"`

	Enabled bool `json:"enabled"`
	// StopReason is why the job was disabled automatically: its schedule ended, or too many
	// runs failed. Empty while it is enabled, and when a user disabled it.
	StopReason string `json:"stop_reason,omitempty"`
	// HeldBy is the key of the pause that held the job back when it was last due; empty
	// when none did.
	HeldBy string `json:"held_by,omitempty"`
	// Fired is how many runs the schedule has made since the job was last enabled:
	// Schedule.Count bounds it. Failures is how many runs in a row have failed; it is
	// counted only while StopAfter is set.
	Fired    int `json:"fired,omitempty"`
	Failures int `json:"failures,omitempty"`
	// Version grows by one at each change by a user; writes compare it.
	Version int64 `json:"version"`
	// NextAt is the next firing not yet planned; zero when there is none.
	NextAt    time.Time `json:"next_at,omitzero"`
	LastAt    time.Time `json:"last_at,omitzero"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// HandlerKind is the kind of code that an executor runs.
type HandlerKind string

// The kinds of handler.
const (
	// HandlerNamed is code the executor has registered under a name.
	HandlerNamed HandlerKind = "named"
	// The others are scripts that travel with the task, each for its
	// interpreter: bash or sh, Python 3, Python 2, Node.js, PHP and PowerShell.
	HandlerShell      HandlerKind = "shell"
	HandlerPython     HandlerKind = "python"
	HandlerPython2    HandlerKind = "python2"
	HandlerNode       HandlerKind = "nodejs"
	HandlerPHP        HandlerKind = "php"
	HandlerPowerShell HandlerKind = "powershell"
	// HandlerGroovy is a class that runs in a Groovy runtime.
	HandlerGroovy HandlerKind = "groovy"
	// HandlerJS is JavaScript that runs in a child of the executor itself,
	// without Node.js.
	HandlerJS HandlerKind = "javascript"
)

// Script reports whether the kind's source travels with the task.
func (k HandlerKind) Script() bool { return k != HandlerNamed && k != "" }

// HandlerKinds returns every kind, named first.
func HandlerKinds() []HandlerKind {
	return []HandlerKind{
		HandlerNamed, HandlerShell, HandlerPython, HandlerPython2, HandlerNode,
		HandlerPHP, HandlerPowerShell, HandlerGroovy, HandlerJS,
	}
}

// Handler is the code of a Job.
type Handler struct {
	Kind HandlerKind `json:"kind"`
	// Name is the registered name, for HandlerNamed.
	Name string `json:"name,omitempty"`
	// Source is the script's text, at most [MaxSource] bytes.
	Source string `json:"source,omitempty"`
	// SourceAt is when Source last changed; executors cache by it.
	SourceAt time.Time `json:"source_at,omitzero"`
}

// Route selects an executor of the group.
type Route string

// The routes.
const (
	RouteFirst          Route = "first"
	RouteLast           Route = "last"
	RouteRound          Route = "round"
	RouteRandom         Route = "random"
	RouteConsistentHash Route = "consistent_hash"
	// RouteLeastFrequent picks the executor that the job was sent to least often,
	// RouteLeastRecent the one that it was sent to longest ago.
	RouteLeastFrequent Route = "least_frequently_used"
	RouteLeastRecent   Route = "least_recently_used"
	// RouteFailover picks the first that answers, RouteBusyover the first that answers that
	// it does not run the job.
	RouteFailover Route = "failover"
	RouteBusyover Route = "busyover"
	// RouteLeastLoaded picks the one with the fewest running tasks, RouteWeighted each in
	// proportion to its weight.
	RouteLeastLoaded Route = "least_loaded"
	RouteWeighted    Route = "weighted"
	// RouteBroadcast splits a run into shards, each a run of its own, over all
	// executors of the group; see [Broadcast].
	RouteBroadcast Route = "broadcast"
)

// Routes returns every route.
func Routes() []Route {
	return []Route{
		RouteFirst, RouteLast, RouteRound, RouteRandom, RouteConsistentHash, RouteLeastFrequent, RouteLeastRecent,
		RouteFailover, RouteBusyover, RouteLeastLoaded, RouteWeighted,
		RouteBroadcast,
	}
}

// Probes reports whether the route asks executors before it picks one.
func (r Route) Probes() bool { return r == RouteFailover || r == RouteBusyover }

// Overlap is the policy for a Run whose Job is still running.
type Overlap string

// The overlaps.
const (
	OverlapSerial     Overlap = "serial"
	OverlapDiscard    Overlap = "discard"
	OverlapCover      Overlap = "cover"
	OverlapConcurrent Overlap = "concurrent"
)

// OnCrash says what becomes of an attempt whose executor died while it ran.
type OnCrash string

// The crash policies.
const (
	// CrashReport reports the attempt as failed; the retry policy decides.
	CrashReport OnCrash = "report"
	// CrashRerun runs it again: for jobs that are safe to run twice.
	CrashRerun OnCrash = "rerun"
)

// Group is the executors that share an app name. They register by its Key alone, which
// no two groups of a server share; its Namespace says whose it is.
type Group struct {
	ID        int64  `json:"id"`
	Namespace string `json:"namespace"`
	Key       string `json:"key"`
	Title     string `json:"title,omitempty"`
	// Labels are notes of people: at most [MaxLabels].
	Labels map[string]string `json:"labels,omitempty"`
	// Version grows by one at each change by people; writes compare it.
	Version   int64     `json:"version"`
	CreatedAt time.Time `json:"created_at"`
}

// CheckText reports what is wrong with what people say of a group: its title and its
// labels. Kinds: Invalid with the field at fault.
func (g *Group) CheckText() error {
	if n := utf8.RuneCountInString(g.Title); n > MaxTitle {
		return FieldErrorf("title", "has %d characters, at most %d are allowed", n, MaxTitle)
	}
	if !utf8.ValidString(g.Title) {
		return FieldErrorf("title", "is not valid UTF-8")
	}
	return CheckLabels("labels", g.Labels)
}

// GroupChange is what becomes of a group. What is nil stays as it is.
type GroupChange struct {
	// Version is the one that the change was made from; 0 changes any.
	Version int64
	// Namespace moves it: its jobs, tokens and executors stay what they are.
	Namespace *string
	Title     *string
	// Labels take the place of all that it has; an empty map removes them.
	Labels map[string]string
	// OwnTokenOnly says whether only tokens that were added to the group are taken.
	OwnTokenOnly *bool
}

// Check reports what is wrong with a change. Kinds: Invalid with the field at fault.
func (c *GroupChange) Check() error {
	g := Group{Labels: c.Labels}
	if c.Namespace != nil {
		if err := CheckKey("namespace", *c.Namespace); err != nil {
			return err
		}
	}
	if c.Title != nil {
		g.Title = *c.Title
	}
	return g.CheckText()
}

// Executor is a process that runs tasks, as its lease shows it.
type Executor struct {
	GroupID   int64  `json:"-"`
	Namespace string `json:"namespace"` // that of its group
	Group     string `json:"group"`
	Address   string `json:"address"` // base URL under which it is reached
	// RegisteredAs is the base URL that the executor gave, when a [Rewrite] of
	// its group made another Address of it.
	RegisteredAs string `json:"registered_as,omitempty"`
	// Manual says that a user entered the Address. Its lease is renewed by each
	// answer to a question of the server's; it may be in the past.
	Manual bool `json:"manual,omitempty"`
	// LeaseUntil is the end of its right to be thought alive.
	LeaseUntil   time.Time `json:"lease_until"`
	RegisteredAt time.Time `json:"registered_at"`
	SeenAt       time.Time `json:"seen_at"`
	// Features are what the executor says it can run, such as "shell" or
	// "python=3.11.2"; at most [MaxFeatures].
	Features []string `json:"features,omitempty"`
	// Handlers are the names of its handlers; at most [MaxHandlers]. Lists of executors
	// leave them out: a group's [Offer] has them.
	Handlers []string `json:"-"`
	// Incarnation, StartedAt and Load are what it said of its process last;
	// see [Life]. IncarnationAt is when a server heard of the Incarnation
	// first, with none of another from the same address since.
	Incarnation   string    `json:"incarnation,omitempty"`
	IncarnationAt time.Time `json:"incarnation_at,omitzero"`
	StartedAt     time.Time `json:"started_at,omitzero"`
	Load          *Load     `json:"load,omitempty"`
	// Instance is that of its data folder; see [Life]. InstanceAt is since when a process
	// with it has the Address: no later than IncarnationAt.
	Instance   string    `json:"instance,omitempty"`
	InstanceAt time.Time `json:"instance_at,omitzero"`
	// Holds and Whole are what its beat lists; see [Life]. They are kept of processes that
	// are refused alone, and lists of executors leave them out.
	Holds []int64 `json:"-"`
	Whole bool    `json:"-"`
	// CrowdedUntil is until when another process at the same Address may be alive; zero
	// when there was none.
	CrowdedUntil time.Time `json:"crowded_until,omitzero"`
	// RivalAt is when another process that registers the same Address was last refused.
	RivalAt time.Time `json:"rival_at,omitzero"`
	// Trouble describes the problem with its Address or its data folder; empty for none. It
	// is not stored.
	Trouble string `json:"trouble,omitempty"`
	// Draining is set when it accepts no more tasks; see [Life].
	Draining bool `json:"draining,omitempty"`
	// Dialect is its protocol, and DialectBy the source of it; both are empty while it is
	// unknown.
	Dialect   Dialect   `json:"dialect,omitempty"`
	DialectBy DialectBy `json:"dialect_by,omitempty"`
	// TokenID identifies the token that it showed last: [TokenNone], one of those below it,
	// or one of its group's.
	TokenID int64 `json:"token_id,omitempty"`
	// Kind is that of its facts, and FactsAt when they last arrived; see [Facts]. Both are
	// zero while it sends none.
	Kind    string    `json:"kind,omitempty"`
	FactsAt time.Time `json:"facts_at,omitzero"`
	// Unreachable is why the answering server cannot reach it; empty when it can, or has
	// not tried yet. It is not stored.
	Unreachable string `json:"unreachable,omitempty"`
}

// Run is one firing of a Job.
type Run struct {
	ID     int64  `json:"id"`
	JobID  int64  `json:"job_id"`
	JobKey string `json:"job_key,omitempty"` // filled on reads for people
	// JobVersion is the version of the Job that a dispatcher must use.
	JobVersion int64 `json:"-"`
	GroupID    int64 `json:"-"`
	// PlannedAt is the logical time: the slot of the run, whatever the cause. A child has
	// the slot of its parent. Zero when the run has no slot, such as a manual run without
	// one.
	PlannedAt time.Time `json:"planned_at,omitzero"`
	Cause     Cause     `json:"cause"`
	// CauseID distinguishes runs of one Job, instant and Cause: the parent run, the
	// backfill, or the run's own id when nothing else does. Zero for schedules.
	CauseID int64 `json:"cause_id,omitempty"`
	State   State `json:"state"`
	// Reason describes why the run is in its state.
	Reason string `json:"reason,omitempty"`
	// ReadyAt is when a dispatcher may claim the run, or when one must check it again; zero
	// when neither applies.
	ReadyAt time.Time `json:"ready_at,omitzero"`
	// DueAt is when a waiting run is to be sent, even while it is claimed; it is later than
	// PlannedAt for runs that are made up for, and ReadyAt when it is zero.
	DueAt time.Time `json:"-"`
	// Param overrides the Job's; nil means the Job's own. For a Job with Inputs it has
	// their values, see [Job.FillInputs].
	Param *string `json:"param,omitempty"`
	// Tries is the number of attempts so far, Undelivered how many of them no executor
	// accepted: those do not count against the retry policy.
	Tries       int `json:"tries"`
	Undelivered int `json:"undelivered,omitempty"`
	// AttemptID is the current or last attempt; zero before the first.
	AttemptID int64 `json:"attempt_id,omitempty"`
	// Addresses are the executors that the run may go to, at most
	// [MaxAddresses]; none means those of its group.
	Addresses []string `json:"addresses,omitempty"`
	// Shard is the part of a broadcast that the run does; zero for none. Home is the
	// executor that its first attempt goes to, if that is alive.
	Shard Shard  `json:"shard,omitzero"`
	Home  string `json:"-"`
	// Avoid is the executor that the next attempt is better not sent to;
	// empty for none.
	Avoid string `json:"-"`
	// Priority is the Job's, and empty for normal. ExpireAt is when the run expires if no
	// executor has accepted it by then; zero means never. Both are set when the run is
	// read.
	Priority Priority  `json:"-"`
	ExpireAt time.Time `json:"-"`
	Message  string    `json:"message,omitempty"` // the last outcome's message
	// By is the user who requested the run; empty when no user did. It is set when the run
	// is written, and never changes.
	By string `json:"by,omitempty"`
	// Loose is set when values of others were inserted in Param where they could change its
	// structure, see [CheckFixedTemplate]. It is not kept: such a run is not made where its
	// parameter determines what is executed.
	Loose     bool      `json:"-"`
	CreatedAt time.Time `json:"created_at"`
	// StartedAt is when an executor first accepted the run; zero while none has.
	StartedAt time.Time `json:"started_at,omitzero"`
	EndedAt   time.Time `json:"ended_at,omitzero"`
}

// Attempt is one try of a Run on one executor. Its ID is the wire's log id.
type Attempt struct {
	ID    int64 `json:"id"`
	RunID int64 `json:"run_id"`
	// JobID is the id under which its executor knows the job; see [Run.TaskJobID].
	JobID   int64  `json:"job_id"`
	Number  int    `json:"number"`  // 1 for the first
	Address string `json:"address"` // the executor's base URL
	State   State  `json:"state"`
	// TriggeredAt is when the server decided to send it; it names the
	// directory of the run log, so it is carried to the millisecond.
	TriggeredAt time.Time `json:"triggered_at"`
	AcceptedAt  time.Time `json:"accepted_at,omitzero"`
	EndedAt     time.Time `json:"ended_at,omitzero"`
	Message     string    `json:"message,omitempty"`
	// Evidence are outcomes that contradict the recorded end, in order of arrival, at most
	// [MaxEvidence]; filled on reads for people.
	Evidence []Evidence `json:"evidence,omitempty"`
}

// Task is what a server sends for an Attempt and what an executor runs.
type Task struct {
	AttemptID   int64
	JobID       int64
	RunID       int64 // 0 when the sender's protocol has no such field
	Try         int   // 1 for the first attempt; 0 when the sender does not send it
	Handler     Handler
	Param       string
	Labels      map[string]string // nil when there are none
	Overlap     Overlap
	Concurrency int           // for OverlapConcurrent; less than 1 means 1
	Timeout     time.Duration // zero means none
	TriggeredAt time.Time     // the Attempt's, to the millisecond
	PlannedAt   time.Time     // zero when the sender's protocol has no such field
	// StartAt is before when the handler is not called, by the clock of the process that
	// has the Task; zero is at once. At most [MaxHold] away.
	StartAt    time.Time
	ShardIndex int     // 0..ShardTotal-1
	ShardTotal int     // at least 1
	OnCrash    OnCrash // empty means CrashReport
	LogsOff    bool    // servers keep nothing of its log; it does not travel
	Trace      string  // the trace context of the Attempt, see [ValidTrace]; empty when it is not traced
}

// Outcome is the end of an Attempt.
type Outcome struct {
	AttemptID   int64
	TriggeredAt time.Time
	State       State // Succeeded, Failed, TimedOut, Cancelled, Lost or Skipped
	Message     string
	EndedAt     time.Time
	// Class classifies a failure for the next try; empty means [retry.ClassTransient].
	Class retry.Class
	// RetryAfter is the least wait before the next try; zero when the
	// handler named none.
	RetryAfter time.Duration
	// Over is why the run ends with this attempt, whatever the retry policy; empty leaves
	// that to the policy. It also ends a run that waits for its next try. Only servers set
	// it: it is not sent.
	Over string
	// Log is the whole run log of the attempt, in whole lines, when it has at most
	// [MaxOutcomeLog] bytes and a server of Orth asked the executor; empty otherwise. It is
	// not redacted: its writer to storage redacts it.
	Log string
}

// MaxOutcomeLog bounds the bytes of a run log that is sent with the outcome.
const MaxOutcomeLog = 4 << 10

// LogPage is a piece of a run log, by lines.
type LogPage struct {
	From int    // the first line of the request
	To   int    // the last line returned, 1-based and inclusive
	Text string // whole lines, each ending in \n
	End  bool   // no lines will follow: the log does not exist
	// FromMemory is set when the executor was not asked: these are lines that a server has
	// kept, and some may be missing. Executors do not set it.
	FromMemory bool
	// Kept is how much of the log servers keep: open, whole, cut, torn or none; empty when
	// they keep nothing of it. Executors do not set it.
	Kept string
	// Note is why lines are missing, in words; empty when none are known to be.
	Note string
}
