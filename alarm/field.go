package alarm

// Field is a setting or a secret of a channel kind.
type Field struct {
	Name   string
	Secret bool // it belongs to the channel's Secrets, not to its Settings
	Needed bool // every channel of the kind must set it
	// Place marks the field that holds the destination. A user who changes it must enter
	// the channel's secrets again.
	Place bool
	// Default is the value of an omitted field; empty for none.
	Default string
	Doc     string
}
