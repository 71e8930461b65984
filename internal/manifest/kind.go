package manifest

import (
	"reflect"
	"slices"

	"github.com/orthd/orth/api"
)

// APIVersion is the value of the first field of every document.
const APIVersion = "orth/v1"

// Kind is what a document describes.
type Kind string

// The kinds.
const (
	KindGroup        Kind = "Group"
	KindCalendar     Kind = "Calendar"
	KindJob          Kind = "Job"
	KindWorkflow     Kind = "Workflow"
	KindPause        Kind = "Pause"
	KindAlarmChannel Kind = "AlarmChannel"
	KindAlarmRule    Kind = "AlarmRule"
)

// Kinds returns all kinds in the order in which they are made: none names one that
// comes later. They are deleted in reverse.
func Kinds() []Kind {
	return []Kind{KindGroup, KindCalendar, KindJob, KindWorkflow, KindPause, KindAlarmChannel, KindAlarmRule}
}

// Noun returns what people call an object of the kind.
func (k Kind) Noun() string { return shapeOf(k).noun }

// Spaced reports whether objects of the kind live in a namespace. Those that do
// not have keys that are unique on the whole server.
func (k Kind) Spaced() bool { return k != KindPause }

// Marked reports whether objects of the kind have labels, and so a mark of the set
// of documents that made them.
func (k Kind) Marked() bool { return k == KindJob || k == KindGroup }

// shape is what is special about the documents of a kind.
type shape struct {
	spec   reflect.Type // the type of the API whose fields the spec has
	noun   string
	folder string // where exports put them
	// hidden are fields of spec that documents do not have: metadata has them, or only the
	// server knows them.
	hidden []string
	// defaults are fields that mean the same as their absence, by path; [] stands
	// for every entry of a list.
	defaults map[string]any
}

// shapeOf returns the shape of a kind; that of another one has no type.
func shapeOf(k Kind) shape {
	switch k {
	case KindGroup:
		return shape{reflect.TypeFor[api.GroupDefinition](), "group", "groups", nil, map[string]any{fieldOwnToken: false}}
	case KindCalendar:
		return shape{
			reflect.TypeFor[api.CalendarText](), "calendar", "calendars",
			[]string{fieldVersion},
			map[string]any{"rules.mode": "exclude"},
		}
	case KindJob:
		return shape{reflect.TypeFor[api.NewJob](), "job", "jobs", []string{fieldNamespace, fieldKey}, jobDefaults()}
	case KindWorkflow:
		return shape{
			reflect.TypeFor[api.NewWorkflow](), "workflow", "workflows",
			[]string{fieldVersion},
			map[string]any{"nodes[].join": "all", "nodes[].after[].on": "success"},
		}
	case KindPause:
		return shape{reflect.TypeFor[api.NewPause](), "pause", "pauses", []string{fieldVersion}, map[string]any{"window.zone": utc}}
	case KindAlarmChannel:
		return shape{
			reflect.TypeFor[api.NewAlarmChannel](), "alarm channel", "alarm-channels",
			[]string{fieldNamespace, fieldKey},
			map[string]any{"language": "en", "per_minute": 20.0},
		}
	case KindAlarmRule:
		return shape{
			reflect.TypeFor[api.NewAlarmRule](), "alarm rule", "alarm-rules",
			[]string{fieldNamespace, fieldKey},
			map[string]any{
				"severity": "warning", "group_by": "group", "wait": "10s", "interval": "5m0s", "repeat": "4h0m0s",
			},
		}
	}
	return shape{}
}

// Names of fields.
const (
	fieldNamespace  = "namespace"
	fieldKey        = "key"
	fieldVersion    = "version"
	fieldEnabled    = "enabled"
	fieldSecrets    = "secrets"
	fieldHandler    = "handler"
	fieldSource     = "source"
	fieldSourceFile = "source_file"
	fieldTextFile   = "text_file"
	fieldSchedule   = "schedule"
	fieldChildren   = "children"
	fieldInputs     = "inputs"
	fieldLabels     = "labels"
	fieldOwnToken   = "own_token_only"
)

// utc is the zone that schedules have by default.
const utc = "UTC"

// jobDefaults are the defaults of jobs that mean the same as absence.
func jobDefaults() map[string]any {
	return map[string]any{
		"misfire": "skip", "misfire_limits.threshold": "5s", "misfire_limits.max": 100.0, "route": "round",
		"overlap": "serial", "overlap_scope": "cluster", "overlap_queue": 1000.0, "concurrency": 1.0, "on_crash": "report",
		"retry.multiplier": 2.0, "children[].on": "success", "inputs[].type": "text", "delivery.priority": "normal",
		"schedule.zone": utc, "schedule.excluded": "skip", "schedule.of[].zone": utc, "schedule.of[].excluded": "skip",
	}
}

// known returns the kind of a name, and false for another name.
func known(name string) (Kind, bool) {
	return Kind(name), slices.Contains(Kinds(), Kind(name))
}
