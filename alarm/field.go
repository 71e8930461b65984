package alarm

// Field is a setting or a secret that the channels of a kind have.
type Field struct {
	Name   string
	Secret bool // it is one of the channel's Secrets, not of its Settings
	Needed bool // no channel of the kind is without
	// Place says that it is where messages go: whoever changes it gives the channel's
	// secrets again.
	Place bool
	// Default is what leaving it out means; empty for nothing.
	Default string
	Doc     string
}
